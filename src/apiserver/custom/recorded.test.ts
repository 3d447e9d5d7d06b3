/**
 * What Kubernetes v1.36.4's own packages (apiextensions-apiserver, cel-go) made of the same
 * definitions, objects and rules: their answers are recorded beside this file, and ours must be those.
 */
import { describe, expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { hold } from '../decode/body.ts';
import { messageOf, type FieldError } from '../field-error.ts';
import { customResourceDefinitions } from '../kinds/custom-resource-definition.ts';
import { validateMetadata } from '../metadata.ts';
import { compileRules } from './cel/compiled-rule.ts';
import { RuleSet } from './cel/rule-set.ts';
import { fillDefaults } from './defaulting.ts';
import { validateCrd } from './definition/crd-rules.ts';
import { validateEmbedded } from './embedded.ts';
import { findDuplicates } from './list-types.ts';
import { dropNulls, pruneResource } from './pruning.ts';
import definitions from './recorded/definitions.generated.json' with { type: 'json' };
import rules from './recorded/rules.generated.json' with { type: 'json' };
import values from './recorded/values.generated.json' with { type: 'json' };
import { readSchema } from './schema.ts';
import { validateValue } from './value/validation.ts';

function told(errors: readonly FieldError[]): readonly string[] {
  return errors.map((error) => `${error.field}: ${messageOf(error)}`).toSorted();
}

function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

describe('rules in CEL', () => {
  const fields: JsonObject = asObject(rules.fields);
  const object: Json = asObject(rules.object);

  test.each(rules.rules)('$rule', ({ rule, fault, errors }) => {
    const spec = { type: 'object', properties: fields, 'x-kubernetes-validations': [{ rule }] };
    const schema = readSchema({ type: 'object', properties: { spec } });
    const [compiled] = compileRules(readSchema(spec), false);
    const isRun = fault === undefined;
    const answers = isRun ? told(new RuleSet(schema).check(object, undefined)) : undefined;
    expect({ fault: compiled?.fault, answers }).toEqual({ fault, answers: errors });
  });
});

describe('objects against their schemas', () => {
  test.each(values.map((value, index) => ({ index, ...value })))('number $index', (recorded) => {
    const schema = readSchema(asObject(recorded.schema));
    const { object, unknown } = pruneResource(asObject(recorded.object), schema);
    const filled = fillDefaults(dropNulls(object, schema), schema);
    expect(filled).toEqual(recorded.pruned);
    expect(unknown).toEqual(recorded.unknown);
    const errors = [
      ...validateValue(filled, schema),
      ...validateEmbedded(filled, schema),
      ...findDuplicates(filled, schema),
    ];
    expect(told(errors)).toEqual(recorded.errors);
  });
});

describe('definitions', () => {
  test.each(definitions)('$name', ({ crd, errors }) => {
    const { rules: own } = customResourceDefinitions;
    const { object } = hold({ value: asObject(crd) }, customResourceDefinitions, 'Ignore');
    const filled = own.applyDefaults?.(object) ?? object;
    const ready = own.prepareForCreate?.(filled) ?? filled;
    const found = [...validateMetadata(ready, false, own.checkName), ...validateCrd(ready)];
    expect(told(found)).toEqual(errors);
  });
});
