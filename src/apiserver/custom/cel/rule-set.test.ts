import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { messageOf } from '../../field-error.ts';
import { readSchema } from '../schema.ts';
import { RuleSet } from './rule-set.ts';

function check(spec: JsonObject, value: Json, old?: Json): readonly string[] {
  const rules = new RuleSet(readSchema({ type: 'object', properties: { spec } }));
  const before = old === undefined ? undefined : { spec: old };
  return rules.check({ spec: value }, before).map((error) => `${error.field}: ${messageOf(error)}`);
}

function text(...rules: readonly JsonObject[]): JsonObject {
  return { type: 'string', 'x-kubernetes-validations': rules };
}

describe('a rule', () => {
  test('that compares with the old value is asked only where there is one', () => {
    const spec = text({ rule: 'self == oldSelf', message: 'is for ever' });
    expect(check(spec, 'a')).toEqual([]);
    expect(check(spec, 'a', 'a')).toEqual([]);
    expect(check(spec, 'b', 'a')).toEqual(['spec: Invalid value: "b": is for ever']);
  });

  test('may do without the old value, if it says so', () => {
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

  test('that was broken before is let be, unless it is about the change', () => {
    const spec = text({ rule: "self != 'bad'" });
    expect(check(spec, 'bad', 'bad')).toEqual([]);
    expect(check(spec, 'bad', 'good')).toEqual([
      `spec: Invalid value: "bad": failed rule: self != 'bad'`,
    ]);
  });

  test('says what is wrong in its own words, with its own reason, about its own field', () => {
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

  test('is never asked about null', () => {
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

  test('that would double a text for ever is stopped', () => {
    const doubling = Array.from({ length: 40 }).reduce<string>(
      (inner) => `[${inner}].map(x, x + x)[0]`,
      "'abcdefghijklmnop'",
    );
    const [error] = check(text({ rule: `size(${doubling}) > 0`, message: 'grows' }), 'a');
    expect(error).toContain('actual cost limit exceeded');
  });

  test('that runs over a large object often uses up what all rules share', () => {
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
