/**
 * Objects of every kind, made from the schema alone, survive a round trip through protobuf.
 *
 * The objects are made in the form in which Go prints them: empty values are left out or null, as the
 * field requires, since protobuf cannot distinguish empty from missing.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { unreachable } from '../../lib/assert.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { kinds, structOf } from '../schema/schema.ts';
import type { Field, Scalar, Shape, Special, StructType } from '../schema/shape.ts';
import { decodeProtobuf } from './decode.ts';
import { encodeProtobuf } from './encode.ts';

/** Below this depth, only required fields are present. */
const DEPTH_MAX = 6;
const TEXTS = [
  'a',
  'nginx:1.27',
  'é',
  '日本語',
  '🙂',
  'line\nline',
  '\uFFFF',
  'x'.repeat(200),
  '"\\',
];
const KEYS = [...TEXTS, '', '7', '__proto__', 'constructor', '\u{10000}'];
const INTEGERS = [1, -1, 127, 128, 65_536, 2 ** 31 - 1, -(2 ** 31)];
const LARGE_INTEGERS = [...INTEGERS, 2 ** 32, 2 ** 53 - 1, -(2 ** 53 - 1)];
const QUANTITIES = ['1', '100m', '1536Mi', '5Gi', '12e6', '1n', '-3', '9223372036854775807'];
const VALUES: readonly Json[] = [true, 0, 'text', [], {}, [null, { a: [1.5] }], { f: { b: {} } }];

/** Makes objects. The same seed makes the same ones. */
class Maker {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  struct(type: StructType, depth: number): JsonObject {
    const fields = type.fields.filter(({ number }) => number !== undefined);
    const made = fields.map((field) => [field.name, this.#field(type, field, depth)] as const);
    return Object.fromEntries(
      made.filter((entry): entry is readonly [string, Json] => entry[1] !== undefined),
    );
  }

  #field(type: StructType, field: Field, depth: number): Json | undefined {
    const { name, shape, pointer, omitEmpty } = field;
    const isSet = depth < DEPTH_MAX && this.#below(depth + 2) === 0;
    const isSlice =
      shape.kind === 'list' ||
      shape.kind === 'map' ||
      (shape.kind === 'scalar' && shape.scalar === 'bytes');
    if (!pointer && !isSlice && shape.kind === 'struct') return this.struct(shape.type, depth + 1);
    if (isSet) return this.#value(shape, depth + 1);
    if (!pointer && shape.kind === 'special') return zeroSpecial(type, name, shape.special);
    if (omitEmpty) return undefined;
    return pointer || shape.kind !== 'scalar' ? null : zeroScalar(shape.scalar);
  }

  /** A value that is not empty. */
  #value(shape: Shape, depth: number): Json {
    switch (shape.kind) {
      case 'scalar':
        return this.#scalar(shape.scalar);
      case 'special':
        return this.#special(shape.special, depth);
      case 'struct':
        return this.struct(shape.type, depth);
      case 'list':
        return this.#several().map(() => this.#value(shape.item, depth));
      case 'map':
      default: {
        const entry = (): [string, Json] => [this.#one(KEYS), this.#value(shape.value, depth)];
        return Object.fromEntries(this.#several().map(entry));
      }
    }
  }

  #scalar(scalar: Scalar): Json {
    switch (scalar) {
      case 'string':
        return this.#one(TEXTS);
      case 'bool':
        return true;
      case 'int32':
        return this.#one(INTEGERS);
      case 'int64':
        return this.#one(LARGE_INTEGERS);
      case 'double':
        return this.#one([0.1, -1e300, 5]);
      case 'bytes':
        return this.#one(['AA==', 'aGVsbG8=', '//79']);
      case 'uint32':
      case 'uint64':
      case 'float':
      default:
        throw new Error(`no built-in kind had a ${scalar} when this was written`);
    }
  }

  #special(special: Special, depth: number): Json {
    const schema = (): Json => this.struct(structOf('apiextensions/v1.JSONSchemaProps'), depth + 1);
    switch (special) {
      case 'Quantity':
        return this.#one(QUANTITIES);
      case 'Time':
        return this.#one(['1970-01-01T00:00:00Z', '2026-01-02T03:04:05Z', '0001-01-01T00:00:01Z']);
      case 'MicroTime':
        return this.#one(['1969-12-31T23:59:59.999999Z', '2026-01-02T03:04:05.000006Z']);
      case 'IntOrString':
        return this.#one([...INTEGERS, ...TEXTS, 0, '']);
      case 'FieldsV1':
      case 'RawExtension':
      case 'JSON':
        return this.#one(VALUES);
      case 'JSONSchemaPropsOrBool':
        return this.#one([true, false, schema()]);
      case 'JSONSchemaPropsOrArray':
        return this.#one([schema(), [schema(), {}]]);
      case 'JSONSchemaPropsOrStringArray':
        return this.#one([schema(), ['a', '']]);
      case 'Duration':
        return this.#one(['0s', '1m30s', '15.012s', '-2h0m0.000000001s']);
      default:
        return unreachable(special);
    }
  }

  #several(): readonly number[] {
    return this.#one([[0], [0, 1]]);
  }

  #one<Item>(items: readonly [Item, ...Item[]] | readonly Item[]): Item {
    const item = items[this.#below(items.length)];
    if (item === undefined) throw new Error('there is nothing to choose from');
    return item;
  }

  #below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }
}

function zeroScalar(scalar: Scalar): Json {
  if (scalar === 'bytes') return null;
  return scalar === 'string' ? '' : scalar === 'bool' ? false : 0;
}

function zeroSpecial(type: StructType, name: string, special: Special): Json | undefined {
  if (type.name === 'meta/v1.ObjectMeta' && name === 'creationTimestamp') return undefined;
  if (special === 'Duration') return '0s';
  return special === 'Quantity' ? '0' : special === 'IntOrString' ? 0 : null;
}

const messages = kinds().filter(({ kind }) => kind !== 'Table');
const objects = fc
  .record({ kind: fc.constantFrom(...messages), seed: fc.nat() })
  .map(({ kind: { kind, apiVersion, type }, seed }): JsonObject => {
    return { kind, apiVersion, ...new Maker(seed).struct(type, 0) };
  });

test('an object of any kind comes back as it was, its fields in the same order', () => {
  fc.assert(
    fc.property(objects, (object) => {
      const decoded = decodeProtobuf(encodeProtobuf(object));
      expect(decoded.object).toEqual(object);
      expect(Object.keys(decoded.object)).toEqual(Object.keys(object));
    }),
    { numRuns: 500 },
  );
});

test('what was read is written as it was, and the object is left alone', () => {
  fc.assert(
    fc.property(objects, (object) => {
      const printed = JSON.stringify(object);
      const bytes = encodeProtobuf(object);
      expect(JSON.stringify(object)).toBe(printed);
      expect(encodeProtobuf(decodeProtobuf(bytes).object)).toEqual(bytes);
    }),
  );
});

test('an empty object of every kind comes back as Go prints it, and stays the same', () => {
  for (const { apiVersion, kind } of messages) {
    const { object } = decodeProtobuf(encodeProtobuf({ apiVersion, kind }));
    expect(object).toMatchObject({ apiVersion, kind });
    expect(decodeProtobuf(encodeProtobuf(object)).object).toEqual(object);
  }
});
