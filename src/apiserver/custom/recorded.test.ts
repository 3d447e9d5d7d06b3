/**
 * What Kubernetes v1.36.4's own packages (apiextensions-apiserver, cel-go) answered to the same definitions,
 * objects and rules: the answers are recorded beside this file, and ours must be equal.
 */
import { describe, expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { hold } from '../requests/body.ts';
import { fieldErrorMessage, type FieldError } from '../../api/validation/field-error.ts';
import { customResourceDefinitions } from './custom-resource-definition.ts';
import { validateMetadata } from '../objects/metadata-rules.ts';
import { compileRules } from '../schema/rules/compiled-rule.ts';
import { RuleSet } from '../schema/rules/rule-set.ts';
import { fillDefaults } from './defaulting.ts';
import { validateCrd } from './definition/crd-rules.ts';
import { validateEmbedded } from '../schema/embedded.ts';
import { findDuplicates } from '../schema/list-types.ts';
import { dropNulls, pruneResource } from '../schema/pruning.ts';
import definitions from './recorded/definitions.generated.json' with { type: 'json' };
import rules from './recorded/rules.generated.json' with { type: 'json' };
import values from './recorded/values.generated.json' with { type: 'json' };
import { readSchema } from '../schema/schema.ts';
import { validateValue } from '../schema/value/validation.ts';

function notified(errors: readonly FieldError[]): readonly string[] {
  return errors.map((error) => `${error.field}: ${fieldErrorMessage(error)}`).toSorted();
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
    const answers = isRun ? notified(new RuleSet(schema).check(object, undefined)) : undefined;
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
    expect(notified(errors)).toEqual(recorded.errors);
  });
});

describe('definitions', () => {
  test.each(definitions)('$name', ({ crd, errors }) => {
    const { rules: own } = customResourceDefinitions;
    const { object } = hold({ value: asObject(crd) }, customResourceDefinitions, 'Ignore');
    const filled = own.applyDefaults?.(object) ?? object;
    const ready = own.prepareForCreate?.(filled) ?? filled;
    const found = [...validateMetadata(ready, false, own.checkName), ...validateCrd(ready)];
    expect(notified(found)).toEqual(errors);
  });
});
