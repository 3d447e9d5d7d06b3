import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { messageOf } from '../../field-error.ts';
import { anyJson, anySchema } from '../../../../test/apiserver/custom-schemas.ts';
import { readSchema } from '../schema.ts';
import { validateValue } from './validation.ts';

function told(value: Json, source: JsonObject, old?: Json): readonly string[] {
  const schema = readSchema(source);
  const correlation = old === undefined ? undefined : { value, old, schema };
  return validateValue(value, schema, correlation).map(
    (error) => `${error.field}: ${messageOf(error)}`,
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
  test('whose pattern would take a backtracking engine forever is judged at once', () => {
    const source = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    expect(told({ a: `${'a'.repeat(50_000)}!` }, source)).toHaveLength(1);
  });

  test('that was as wrong before is let through, wherever it can be found again', () => {
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
    expect(told(moved, PORTS, before)).toEqual([]);
    const worse = { ports: [{ name: 'x', port: 98 }] };
    expect(told(worse, PORTS, before)).toEqual([
      'ports[0].port: Invalid value: 98: ports[0].port in body should be less than or equal to 10',
    ]);
  });

  test('that matches none of several schemas is told of by the one that got furthest', () => {
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
    const errors = told({ a: 3 }, source);
    expect(errors[0]).toBe(
      '<nil>: Invalid value: "": "a" must validate at least one schema (anyOf)',
    );
    expect(errors).toHaveLength(2);
  });

  test('whatever it is, and whatever its schema, is judged and never thrown over', () => {
    fc.assert(
      fc.property(anySchema, anyJson, anyJson, (schema, value, old) => {
        expect(Array.isArray(validateValue(value, schema, { value, old, schema }))).toBe(true);
      }),
    );
  });
});
