import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { dropNulls, pruneResource, pruneValue } from './pruning.ts';
import { readSchema } from './schema.ts';
import { anyJson, anySchema } from '../../../test/apiserver/custom-schemas.ts';

function prune(source: JsonObject, object: JsonObject) {
  return pruneResource(object, readSchema({ type: 'object', properties: source }));
}

describe('pruning', () => {
  test('drops unknown fields, and reports their paths', () => {
    const list = {
      type: 'array',
      items: { type: 'object', properties: { k: { type: 'string' } } },
    };
    const { object, unknown } = prune(
      { spec: { type: 'object', properties: { list } } },
      { spec: { list: [{ k: 'x', zz: 1 }], b: 1 }, a: 1 },
    );
    expect(object).toEqual({ spec: { list: [{ k: 'x' }] } });
    expect(unknown).toEqual(['a', 'spec.b', 'spec.list[0].zz']);
  });

  test('keeps the fields that every resource has', () => {
    const given = { apiVersion: 'a/v1', kind: 'K', metadata: { anything: 1 } };
    expect(prune({}, given)).toEqual({ object: given, unknown: [] });
  });

  test('of an object without unknown fields returns the very same object', () => {
    const given = { spec: { a: [1, 2] } };
    const spec = {
      type: 'object',
      properties: { a: { type: 'array', items: { type: 'integer' } } },
    };
    expect(prune({ spec }, given).object).toBe(given);
  });

  test('treats __proto__ and constructor as ordinary keys', () => {
    const given: unknown = JSON.parse('{"spec":{"__proto__":{"a":1},"constructor":2,"b":3}}');
    const spec: unknown = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"object","properties":{"a":{"type":"integer"}}}}}',
    );
    if (!isJsonObject(given) || !isJsonObject(spec)) throw new Error('not an object');
    const { object, unknown } = prune({ spec }, given);
    expect(JSON.stringify(object)).toBe('{"spec":{"__proto__":{"a":1}}}');
    expect(unknown).toEqual(['spec.b', 'spec.constructor']);
  });

  test('of null drops meaningless ones, and keeps allowed ones', () => {
    const schema = readSchema({
      type: 'object',
      properties: {
        a: { type: 'string' },
        b: { type: 'string', nullable: true },
        c: { type: 'string', default: 'x' },
      },
    });
    expect(dropNulls({ a: null, b: null, c: null }, schema)).toEqual({ b: null, c: null });
  });

  test('is idempotent, whatever the schema and the value', () => {
    fc.assert(
      fc.property(anySchema, anyJson, (schema, value) => {
        const once = pruneValue(value, schema);
        expect(pruneValue(once, schema)).toBe(once);
      }),
    );
  });
});
