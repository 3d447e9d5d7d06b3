import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { fieldErrorMessage } from '../../../api/validation/field-error.ts';
import { anyJson, anySchema } from '../../../../test/apiserver/custom-schemas.ts';
import { readSchema } from '../schema.ts';
import { validateValue } from './validation.ts';

function notified(value: Json, source: JsonObject, old?: Json): readonly string[] {
  const schema = readSchema(source);
  const correlation = old === undefined ? undefined : { value, old, schema };
  return validateValue(value, schema, correlation).map(
    (error) => `${error.field}: ${fieldErrorMessage(error)}`,
  );
}

const PORTS: JsonObject = {
  type: 'object',
  properties: {
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, port: { type: 'integer', maximum: 10 } },
      },
    },
  },
};

describe('a value', () => {
  test('is held to limits beyond 2^53', () => {
    const most = 2n ** 63n - 1n;
    expect(notified('a', { type: 'string', minLength: most })[0]).toContain(
      'should be at least 9223372036854775807 chars long',
    );
    expect(notified([], { type: 'array', minItems: most })).toHaveLength(1);
    expect(notified({}, { type: 'object', minProperties: most })).toHaveLength(1);
    expect(notified(2n ** 60n + 1n, { type: 'integer', maximum: 2n ** 60n })).toHaveLength(1);
    expect(notified(2n ** 60n, { type: 'integer', maximum: 2n ** 60n })).toEqual([]);
    expect(notified(2n ** 60n, { type: 'integer', multipleOf: 2n ** 59n })).toEqual([]);
    expect(notified(1, { type: 'integer', minimum: 2n ** 60n })).toHaveLength(1);
    expect(notified('a', { type: 'string', maxLength: most })).toEqual([]);
  });

  test('whose pattern would make a backtracking engine hang is validated quickly', () => {
    const source = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    expect(notified({ a: `${'a'.repeat(50_000)}!` }, source)).toHaveLength(1);
  });

  test('that was as invalid before is accepted, wherever the old value can be found', () => {
    const before = {
      ports: [
        { name: 'x', port: 99 },
        { name: 'y', port: 1 },
      ],
    };
    const moved = {
      ports: [
        { name: 'y', port: 2 },
        { name: 'x', port: 99 },
      ],
    };
    expect(notified(moved, PORTS, before)).toEqual([]);
    const worse = { ports: [{ name: 'x', port: 98 }] };
    expect(notified(worse, PORTS, before)).toEqual([
      'ports[0].port: Invalid value: 98: ports[0].port in body should be less than or equal to 10',
    ]);
  });

  test('that matches none of several schemas is reported by the one with the most matches', () => {
    const source = {
      type: 'object',
      properties: {
        a: {
          type: 'integer',
          anyOf: [
            { minimum: 5, maximum: 9 },
            { multipleOf: 2, minimum: 50 },
          ],
        },
      },
    };
    const errors = notified({ a: 3 }, source);
    expect(errors[0]).toBe(
      '<nil>: Invalid value: "": "a" must validate at least one schema (anyOf)',
    );
    expect(errors).toHaveLength(2);
  });

  test('whatever it is, and whatever its schema, is validated without throwing', () => {
    fc.assert(
      fc.property(anySchema, anyJson, anyJson, (schema, value, old) => {
        expect(Array.isArray(validateValue(value, schema, { value, old, schema }))).toBe(true);
      }),
    );
  });
});
