/**
 * What an access review asks about, read from its spec, and what is wrong with the question.
 *
 * A selector that cannot be read is left out and told: without it the question is a broader one, so
 * the answer is never more than what is true.
 */
import { parseFieldSelector, type FieldSelector } from '../../api/field-selector.ts';
import { parseLabelSelector } from '../../api/label-selector-text.ts';
import { selectorFromObject } from '../../api/label-selector.ts';
import { PodkeepError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Attributes } from '../access.ts';
import type { FieldError } from '../field-error.ts';
import { invalid, required } from '../kinds/validation/complaint.ts';
import {
  readObject,
  readObjects,
  readStruct,
  readText,
  readTexts,
} from '../kinds/validation/json-reading.ts';

export interface Question {
  readonly attributes: Attributes;
  /** Which selectors could not be read. */
  readonly errors: readonly string[];
}

const RESOURCE = 'spec.resourceAttributes';

export function readQuestion(spec: JsonObject): Question {
  const asked = readObject(spec['resourceAttributes']);
  if (!asked) {
    const { path, verb } = readStruct(spec['nonResourceAttributes']);
    return { attributes: { path: readText(path), verb: readText(verb) }, errors: [] };
  }
  const fields = readFieldSelector(asked['fieldSelector']);
  const attributes = {
    verb: readText(asked['verb']),
    group: readText(asked['group']),
    version: readText(asked['version']) || '*',
    resource: readText(asked['resource']),
    subresource: readText(asked['subresource']),
    namespace: readText(asked['namespace']),
    name: readText(asked['name']),
    ...(fields.selector.length > 0 && { fieldSelector: fields.selector }),
  };
  const labels = readLabelSelector(asked['labelSelector']);
  return { attributes, errors: [...fields.errors, ...labels] };
}

/** Everything but who is asked about. */
export function checkQuestion(spec: JsonObject): readonly FieldError[] {
  const resource = readObject(spec['resourceAttributes']);
  const path = readObject(spec['nonResourceAttributes']);
  return [
    ...(resource && path
      ? [
          invalid(
            'spec.nonResourceAttributes',
            inGo(path),
            'cannot be specified in combination with resourceAttributes',
          ),
        ]
      : []),
    ...(!resource && !path
      ? [
          invalid(
            RESOURCE,
            null,
            'exactly one of nonResourceAttributes or resourceAttributes must be specified',
          ),
        ]
      : []),
  ];
}

export function checkSelectors(spec: JsonObject): readonly FieldError[] {
  const resource = readStruct(spec['resourceAttributes']);
  return ['fieldSelector', 'labelSelector'].flatMap((name) =>
    checkSelector(readObject(resource[name]), `${RESOURCE}.${name}`),
  );
}

/** Paths in the form in which kube-apiserver shows them in its complaints. */
export function inGo({ path, verb }: JsonObject): JsonObject {
  return { Path: readText(path), Verb: readText(verb) };
}

function checkSelector(selector: JsonObject | undefined, field: string): readonly FieldError[] {
  if (!selector) return [];
  const raw = readText(selector['rawSelector']);
  const count = readObjects(selector['requirements']).length;
  if (raw !== '' && count > 0) {
    const detail = 'may not specified at the same time as requirements';
    return [invalid(`${field}.rawSelector`, raw, detail)];
  }
  if (raw !== '' || count > 0) return [];
  const detail = `when ${field} is specified, requirements or rawSelector is required`;
  return [required(`${field}.requirements`, detail)];
}

function readFieldSelector(given: JsonObject[string] | undefined): {
  readonly selector: FieldSelector;
  readonly errors: readonly string[];
} {
  const { rawSelector, requirements } = readStruct(given);
  const raw = readText(rawSelector);
  if (raw !== '') {
    const selector = tryParse(() => parseFieldSelector(raw));
    return { selector: selector ?? [], errors: selector ? [] : [ignored('field', false)] };
  }
  const wanted = readObjects(requirements);
  const selector = wanted.flatMap(({ key, operator, values }): FieldSelector => {
    const [value = '', ...more] = readTexts(values);
    const sign = operator === 'In' ? '=' : operator === 'NotIn' ? '!=' : null;
    if (sign === null || readTexts(values).length === 0 || more.length > 0) return [];
    return [{ field: readText(key), operator: sign, value }];
  });
  const isComplete = selector.length === wanted.length;
  return { selector, errors: isComplete ? [] : [ignored('field', selector.length > 0)] };
}

/** Nobody here decides by labels; but whoever asks learns whether theirs could be read. */
function readLabelSelector(given: JsonObject[string] | undefined): readonly string[] {
  const { rawSelector, requirements } = readStruct(given);
  const raw = readText(rawSelector);
  if (raw !== '') {
    return tryParse(() => parseLabelSelector(raw)) ? [] : [ignored('label', false)];
  }
  const wanted = readObjects(requirements);
  const good = wanted.filter(({ key, operator, values }) => {
    const expression = {
      key: readText(key),
      operator: readText(operator),
      values: readTexts(values),
    };
    return tryParse(() => selectorFromObject({ matchExpressions: [expression] })) !== null;
  });
  return good.length === wanted.length ? [] : [ignored('label', good.length > 0)];
}

function ignored(kind: 'field' | 'label', isPartly: boolean): string {
  const how = isPartly ? 'partially ignored' : 'ignored';
  return `${RESOURCE}.${kind}Selector ${how} due to parse error`;
}

function tryParse<Selector>(parse: () => Selector): Selector | null {
  try {
    return parse();
  } catch (error) {
    if (error instanceof PodkeepError) return null;
    throw error;
  }
}
