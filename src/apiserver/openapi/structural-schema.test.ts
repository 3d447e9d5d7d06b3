import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { forVersion2, withAlternatives } from './structural-schema.ts';

const EITHER = [{ type: 'integer' }, { type: 'string' }];

describe('a structural schema in version 3', () => {
  test('spells out that a value is a number or a text', () => {
    const schema = { properties: { port: { 'x-kubernetes-int-or-string': true } } };
    expect(withAlternatives(schema)).toEqual({
      properties: { port: { 'x-kubernetes-int-or-string': true, anyOf: EITHER } },
    });
  });

  test('does not spell it out twice', () => {
    const inAnyOf = { 'x-kubernetes-int-or-string': true, anyOf: EITHER };
    expect(withAlternatives(inAnyOf)).toEqual(inAnyOf);
    const inAllOf = { 'x-kubernetes-int-or-string': true, allOf: [{ anyOf: EITHER }] };
    expect(withAlternatives(inAllOf)).toEqual(inAllOf);
  });

  test('adds it to alternatives of another sort', () => {
    const schema = {
      'x-kubernetes-int-or-string': true,
      anyOf: [{ minimum: 1 }, { pattern: 'a' }],
      allOf: [{ maximum: 9 }],
    };
    expect(withAlternatives(schema)).toEqual({
      ...schema,
      allOf: [{ anyOf: EITHER }, { maximum: 9 }],
    });
  });

  test('is otherwise unchanged', () => {
    const schema = { type: 'object', nullable: true, default: {}, oneOf: [{ required: ['a'] }] };
    expect(withAlternatives(schema)).toEqual(schema);
  });
});

describe('a structural schema in version 2', () => {
  test('has no alternatives and no defaults', () => {
    const schema = { type: 'string', default: 'a', anyOf: [{}], oneOf: [{}], allOf: [{}], not: {} };
    expect(forVersion2(schema)).toEqual({ type: 'string' });
  });

  test('may hold anything where null is allowed, and does not require it', () => {
    const schema = {
      type: 'object',
      required: ['a', 'b'],
      properties: {
        a: { type: 'object', nullable: true, properties: { x: { type: 'string' } } },
        b: { type: 'string' },
      },
    };
    expect(forVersion2(schema)).toEqual({
      type: 'object',
      required: ['b'],
      properties: { a: {}, b: { type: 'string' } },
    });
  });

  test('requires nothing of a map whose values may be null', () => {
    const additionalProperties = { type: 'string', nullable: true };
    const schema = { type: 'object', required: ['a'], additionalProperties };
    expect(forVersion2(schema)).toEqual({ type: 'object', additionalProperties: {} });
  });

  test('may hold anything where unknown fields are preserved', () => {
    const open = { 'x-kubernetes-preserve-unknown-fields': true };
    expect(forVersion2({ type: 'object', ...open, properties: { a: {} } })).toEqual(open);
  });

  test('has no type for a list with items that it cannot express', () => {
    const open = { 'x-kubernetes-preserve-unknown-fields': true };
    expect(forVersion2({ type: 'array', ...open, items: { type: 'string' } })).toEqual(open);
  });

  test('treats a property named default as a property', () => {
    const schema = { type: 'object', properties: { default: { type: 'string', default: 'a' } } };
    expect(forVersion2(schema)).toEqual({
      type: 'object',
      properties: { default: { type: 'string' } },
    });
  });

  test('never has a keyword that version 2 does not have, however deep', () => {
    fc.assert(
      fc.property(schemas(), (schema) => {
        const words = wordsOf(forVersion2(schema));
        for (const word of ['anyOf', 'oneOf', 'allOf', 'not', 'nullable', 'default']) {
          expect(words).not.toContain(word);
        }
      }),
    );
  });

  test('does not change the original schema', () => {
    fc.assert(
      fc.property(schemas(), (schema) => {
        const before = JSON.stringify(schema);
        forVersion2(schema);
        withAlternatives(schema);
        expect(JSON.stringify(schema)).toBe(before);
      }),
    );
  });
});

function schemas(): fc.Arbitrary<JsonObject> {
  const names = fc.constantFrom('a', 'b', 'default', '__proto__', 'constructor');
  const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constant({ type: 'string', default: 'a', nullable: true }),
      fc.record(
        {
          type: fc.constantFrom('object', 'array', 'string'),
          nullable: fc.boolean(),
          default: fc.constant('a'),
          anyOf: fc.constant([{ required: ['a'] }]),
          required: fc.uniqueArray(names, { minLength: 1 }),
          'x-kubernetes-preserve-unknown-fields': fc.boolean(),
          'x-kubernetes-int-or-string': fc.boolean(),
          items: tie('schema'),
          additionalProperties: tie('schema'),
          properties: fc.dictionary(names, tie('schema'), { maxKeys: 2, noNullPrototype: true }),
        },
        { requiredKeys: [], noNullPrototype: true },
      ),
    ),
  }));
  return schema;
}

/** The keywords of a schema and of all schemas in it, without the names of properties. */
function wordsOf(schema: Json | undefined): readonly string[] {
  if (!isJsonObject(schema)) return [];
  const { items, additionalProperties, properties } = schema;
  const inner = isJsonObject(properties) ? Object.values(properties) : [];
  return [
    ...Object.keys(schema),
    ...[items, additionalProperties, ...inner].flatMap((one) => wordsOf(one)),
  ];
}
