/**
 * Parses and validates the attributes in the spec of an access review.
 *
 * A selector that cannot be parsed is omitted and reported. The question is broader without it, so the answer
 * never allows too much.
 */
import { parseFieldSelector, type FieldSelector } from '../../../api/values/field-selector.ts';
import { parseLabelSelector } from '../../../api/values/label-selector-text.ts';
import { selectorFromObject } from '../../../api/values/label-selector.ts';
import { PodkeepError } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Attributes } from '../../objects/access.ts';
import type { FieldError } from '../../../api/validation/field-error.ts';
import { invalidField, required } from '../../../api/validation/field-errors.ts';
import {
  readObject,
  readObjects,
  readStruct,
  readText,
  readTexts,
} from '../../../api/validation/json-reading.ts';

export interface Question {
  readonly attributes: Attributes;
  /** Messages about selectors that could not be parsed. */
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

/** Validates everything except the user. */
export function checkQuestion(spec: JsonObject): readonly FieldError[] {
  const resource = readObject(spec['resourceAttributes']);
  const path = readObject(spec['nonResourceAttributes']);
  return [
    ...(resource && path
      ? [
          invalidField(
            'spec.nonResourceAttributes',
            inGo(path),
            'cannot be specified in combination with resourceAttributes',
          ),
        ]
      : []),
    ...(!resource && !path
      ? [
          invalidField(
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

/** Non-resource attributes in the form in which kube-apiserver's errors print them. */
export function inGo({ path, verb }: JsonObject): JsonObject {
  return { Path: readText(path), Verb: readText(verb) };
}

function checkSelector(selector: JsonObject | undefined, field: string): readonly FieldError[] {
  if (!selector) return [];
  const raw = readText(selector['rawSelector']);
  const count = readObjects(selector['requirements']).length;
  if (raw !== '' && count > 0) {
    const detail = 'may not specified at the same time as requirements';
    return [invalidField(`${field}.rawSelector`, raw, detail)];
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

/** Only checks the syntax, for the error in the response: no authorizer here decides by labels. */
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
