/** Random schemas and values, for property tests. */
import * as fc from 'fast-check';
import type { Json, JsonObject } from '../../src/lib/json.ts';
import { readSchema, type Schema } from '../../src/apiserver/schema/schema.ts';

const NAMES = ['a', 'b', 'c', 'metadata', '__proto__', 'constructor'] as const;
const name = fc.constantFrom(...NAMES);
const scalar = fc.constantFrom<Json[]>(null, true, 0, 1, -2, 1.5, '', 'a', 'abc', '5%');

const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }).map(objectOf),
  ),
}));

/** Any JSON. */
export const anyJson: fc.Arbitrary<Json> = value;

const flags = fc.record(
  {
    nullable: fc.boolean(),
    default: value,
    'x-kubernetes-preserve-unknown-fields': fc.constant(true),
    'x-kubernetes-embedded-resource': fc.constant(true),
    maxLength: fc.constantFrom(0, 2),
    minimum: fc.constantFrom(0, 1.5),
    multipleOf: fc.constantFrom(0, 2, 0.5),
    format: fc.constantFrom('date-time', 'int32', 'byte', 'duration', 'uri', 'email'),
    pattern: fc.constantFrom('^a', '(', '\\d+$'),
    enum: fc.array(scalar, { maxLength: 2 }),
    required: fc.array(name, { maxLength: 2 }),
    'x-kubernetes-list-type': fc.constantFrom('set', 'map', 'atomic'),
    'x-kubernetes-list-map-keys': fc.array(name, { maxLength: 2 }),
  },
  { requiredKeys: [] },
);

const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc
    .tuple(
      fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<JsonObject[]>(
          { type: 'string' },
          { type: 'integer' },
          { type: 'number' },
          { type: 'boolean' },
          { 'x-kubernetes-int-or-string': true },
        ),
        tie('schema').map((items): JsonObject => ({ type: 'array', items })),
        fc
          .array(fc.tuple(name, tie('schema')), { maxLength: 3 })
          .map((fields): JsonObject => ({ type: 'object', properties: objectOf(fields) })),
        tie('schema').map((inner): JsonObject => ({ type: 'object', additionalProperties: inner })),
        tie('schema').map((inner): JsonObject => ({ anyOf: [inner, {}], not: inner })),
      ),
      flags,
    )
    .map(([structure, more]): JsonObject => ({ ...structure, ...more })),
}));

function objectOf(entries: readonly (readonly [string, Json])[]): JsonObject {
  return Object.fromEntries(entries);
}

export const anySchema: fc.Arbitrary<Schema> = schema.map(readSchema);
