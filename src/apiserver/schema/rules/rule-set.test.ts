import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyJson } from '../../../../test/apiserver/custom-schemas.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';
import recorded from '../../custom/recorded/rules.generated.json' with { type: 'json' };
import { fieldErrorMessage } from '../../../api/validation/field-error.ts';
import { readSchema } from '../schema.ts';
import { RuleSet } from './rule-set.ts';

function check(spec: JsonObject, value: Json, old?: Json): readonly string[] {
  const rules = new RuleSet(readSchema({ type: 'object', properties: { spec } }));
  const before = old === undefined ? undefined : { spec: old };
  return rules
    .check({ spec: value }, before)
    .map((error) => `${error.field}: ${fieldErrorMessage(error)}`);
}

function text(...rules: readonly JsonObject[]): JsonObject {
  return { type: 'string', 'x-kubernetes-validations': rules };
}

describe('a rule', () => {
  test('that compares with the old value runs only where there is one', () => {
    const spec = text({ rule: 'self == oldSelf', message: 'is for ever' });
    expect(check(spec, 'a')).toEqual([]);
    expect(check(spec, 'a', 'a')).toEqual([]);
    expect(check(spec, 'b', 'a')).toEqual(['spec: Invalid value: "b": is for ever']);
  });

  test('may run without the old value, if it opts in', () => {
    const rule = "oldSelf.orValue('none') != self";
    const spec = text({ rule, optionalOldSelf: true, message: 'must change' });
    expect(check(spec, 'none')).toEqual(['spec: Invalid value: "none": must change']);
    expect(check(spec, 'a')).toEqual([]);
    expect(check(spec, 'a', 'a')).toEqual(['spec: Invalid value: "a": must change']);
  });

  test('finds the old item of a list by its keys', () => {
    const item = {
      type: 'object',
      properties: { n: { type: 'string' }, v: { type: 'integer' } },
      'x-kubernetes-validations': [{ rule: 'self.v >= oldSelf.v', message: 'only grows' }],
    };
    const spec = {
      type: 'array',
      items: item,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['n'],
    };
    const old = [
      { n: 'a', v: 5 },
      { n: 'b', v: 1 },
    ];
    expect(
      check(
        spec,
        [
          { n: 'b', v: 2 },
          { n: 'a', v: 4 },
          { n: 'c', v: 0 },
        ],
        old,
      ),
    ).toEqual(['spec[1]: Invalid value: only grows']);
  });

  test('that was broken before is ignored while the value is unchanged', () => {
    const spec = text({ rule: "self != 'bad'" });
    expect(check(spec, 'bad', 'bad')).toEqual([]);
    expect(check(spec, 'bad', 'good')).toEqual([
      `spec: Invalid value: "bad": failed rule: self != 'bad'`,
    ]);
  });

  test('reports its own message, reason and field', () => {
    const spec = {
      type: 'object',
      properties: { n: { type: 'integer' } },
      'x-kubernetes-validations': [
        {
          rule: 'self.n < 3',
          messageExpression: "'%d is too many'.format([self.n])",
          reason: 'FieldValueForbidden',
          fieldPath: '.n',
        },
        { rule: 'self.n < 3', reason: 'FieldValueRequired' },
        { rule: 'self.n < 3', messageExpression: "self.n > 4 ? 'x' : ''", message: 'fallback' },
      ],
    };
    expect(check(spec, { n: 4 })).toEqual([
      'spec.n: Forbidden: 4 is too many',
      'spec: Required value: failed rule: self.n < 3',
      'spec: Invalid value: fallback',
    ]);
  });

  test('never runs on null', () => {
    const spec = { ...text({ rule: 'false' }), nullable: true };
    expect(check(spec, null)).toEqual([]);
  });

  test('sees the name and the kind of every resource', () => {
    const schema = readSchema({
      type: 'object',
      'x-kubernetes-validations': [{ rule: "self.metadata.name == 'a' && self.kind == 'K'" }],
    });
    const object = { kind: 'K', apiVersion: 'v1', metadata: { name: 'a' } };
    expect(new RuleSet(schema).check(object, undefined)).toEqual([]);
  });

  test('that would double a text without end is stopped', () => {
    const doubling = Array.from({ length: 40 }).reduce<string>(
      (inner) => `[${inner}].map(x, x + x)[0]`,
      "'abcdefghijklmnop'",
    );
    const [error] = check(text({ rule: `size(${doubling}) > 0`, message: 'grows' }), 'a');
    expect(error).toContain('actual cost limit exceeded');
  });

  test('that iterates over a large object often exhausts the budget that all rules share', () => {
    const items = { type: 'integer' };
    const rule = { rule: 'self.all(a, self.all(b, a + b >= 0))' };
    const list = {
      type: 'array',
      items,
      'x-kubernetes-validations': Array.from({ length: 20 }, () => rule),
    };
    const numbers = Array.from({ length: 400 }, (_, index) => index);
    const errors = check(list, numbers);
    expect(errors).toEqual([
      'spec: Invalid value: "array": validation failed due to running out of cost budget, no ' +
        'further validation rules will be run',
    ]);
  });
});

test('rules on an object of the wrong shape report errors, and never crash', () => {
  const fields = isJsonObject(recorded.fields) ? recorded.fields : {};
  const sound = recorded.rules.filter(({ fault }) => fault === undefined);
  const validations = sound.map(({ rule }) => ({ rule }));
  const spec = { type: 'object', properties: fields, 'x-kubernetes-validations': validations };
  const set = new RuleSet(readSchema({ type: 'object', properties: { spec } }));
  const names = Object.keys(fields);
  const strange = fc.dictionary(fc.constantFrom(...names), anyJson, { maxKeys: 30 });
  fc.assert(
    fc.property(strange, (value) => {
      expect(Array.isArray(set.check({ spec: value }, undefined))).toBe(true);
    }),
    { numRuns: 60 },
  );
});
