import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../lib/json.ts';
import { fillDefaults } from './defaulting.ts';
import { anyJson, anySchema } from '../../../test/apiserver/custom-schemas.ts';
import { readSchema } from '../schema/schema.ts';

function object(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties, ...more };
}

describe('defaults', () => {
  test('are filled in where fields are unset, from the outside in', () => {
    const inner = object({ b: { type: 'string', default: 'y' } }, { default: { c: 1 } });
    const schema = readSchema(object({ a: inner }));
    expect(fillDefaults({}, schema)).toEqual({ a: { c: 1, b: 'y' } });
    expect(fillDefaults({ a: { b: 'own' } }, schema)).toEqual({ a: { b: 'own' } });
  });

  test('replace null only where null is not allowed', () => {
    const fields = {
      a: { type: 'string', default: 'x' },
      b: { type: 'string', default: 'x', nullable: true },
    };
    expect(fillDefaults({ a: null, b: null }, readSchema(object(fields)))).toEqual({
      a: 'x',
      b: null,
    });
  });

  test('reach into lists and maps', () => {
    const item = object({ v: { type: 'integer', default: 7 } });
    const schema = readSchema(
      object({
        list: { type: 'array', items: item },
        map: { type: 'object', additionalProperties: item },
      }),
    );
    expect(fillDefaults({ list: [{}], map: { k: {} } }, schema)).toEqual({
      list: [{ v: 7 }],
      map: { k: { v: 7 } },
    });
  });

  test('that are all there return the very same object', () => {
    const given = { a: 'x' };
    const schema = readSchema(object({ a: { type: 'string', default: 'y' } }));
    expect(fillDefaults(given, schema)).toBe(given);
  });

  test('are idempotent, whatever the schema and the value', () => {
    fc.assert(
      fc.property(anySchema, anyJson, (schema, value) => {
        const once = fillDefaults(value, schema);
        expect(fillDefaults(once, schema)).toBe(once);
      }),
    );
  });
});
