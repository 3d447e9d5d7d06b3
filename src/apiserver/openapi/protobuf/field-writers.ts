/**
 * Ways to write a value of a document as a field of a protobuf message.
 *
 * The messages of OpenAPI are not JSON with numbers: a map is a list of names and values, a value of any
 * shape is a text of YAML (of which JSON is a part), and a choice is a message with one field. Each way
 * is a small function here; openapi-v2.ts and openapi-v3.ts say which field is written how.
 *
 * The writer works from the end to the beginning, so everything is put down last thing first.
 */
import { FIXED64, LENGTH, VARINT } from '../../../api/protobuf/wire-type.ts';
import type { WireWriter } from '../../../api/protobuf/wire-writer.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';

/** Writes the value as the field of that number, with its tag. */
export type WriteField = (writer: WireWriter, number: number, value: Json) => void;

/** By the key in JSON; a message may hold itself, so its fields are asked for when needed. */
export type Fields = () => Readonly<Record<string, Field>>;

export type Field = readonly [number: number, write: WriteField];
type KnownField = readonly [key: string, field: Field];

/** Texts, numbers and flags that are empty are not written, as in every proto3 message. */
export const text: WriteField = (writer, number, value) => {
  if (value !== '') writeText(writer, number, value);
};

export const flag: WriteField = (writer, number, value) => {
  if (value === true) writeFlag(writer, number, value);
};

export const integer: WriteField = (writer, number, value) => {
  if (typeof value !== 'number' || value === 0) return;
  writer.writeInteger(value);
  writer.writeTag(number, VARINT);
};

export const double: WriteField = (writer, number, value) => {
  if (value !== 0) writeDouble(writer, number, value);
};

/** In a list or a choice even the empty text counts. */
export const writeText: WriteField = (writer, number, value) => {
  if (typeof value !== 'string') return;
  writer.writeText(value);
  writer.writeTag(number, LENGTH);
};

export const writeFlag: WriteField = (writer, number, value) => {
  writer.writeInteger(value === true ? 1 : 0);
  writer.writeTag(number, VARINT);
};

export const writeDouble: WriteField = (writer, number, value) => {
  if (typeof value !== 'number') return;
  writer.writeDouble(value);
  writer.writeTag(number, FIXED64);
};

/** `extensions`: the number of the field that takes what begins with `x-`. */
export function message(fields: Fields, extensions?: number): WriteField {
  const write = fieldsWriter(fields, extensions);
  return (writer, number, value) => {
    writer.writeMessage(number, () => write(writer, value));
  };
}

/** Writes what is in a message, without a tag or a length. */
export function fieldsWriter(
  fields: Fields,
  extensions?: number,
): (writer: WireWriter, value: Json) => void {
  let known: readonly KnownField[] | undefined;
  return (writer, value) => {
    if (!isJsonObject(value)) return;
    if (extensions !== undefined) writeExtensions(writer, extensions, value);
    known ??= Object.entries(fields()).toSorted(([, [a]], [, [b]]) => b - a);
    for (const [key, [number, write]] of known) {
      const one = Object.hasOwn(value, key) ? value[key] : undefined;
      if (one !== undefined) write(writer, number, one);
    }
  };
}

export function repeated(write: WriteField): WriteField {
  return (writer, number, value) => {
    const items: readonly Json[] = Array.isArray(value) ? (value as readonly Json[]) : [];
    for (const item of items.toReversed()) write(writer, number, item);
  };
}

/** A map: messages of a name (1) and a value (2). */
export function namedValues(write: WriteField): WriteField {
  return (writer, number, value) => {
    if (!isJsonObject(value)) return;
    for (const [name, one] of Object.entries(value).toReversed()) {
      writeNamed(writer, number, write, name, one);
    }
  };
}

function writeNamed(
  writer: WireWriter,
  number: number,
  write: WriteField,
  name: string,
  value: Json,
): void {
  writer.writeMessage(number, () => {
    write(writer, 2, value);
    text(writer, 1, name);
  });
}

/** A message with a single field, which takes the value. */
export function inside(write: WriteField, field = 1): WriteField {
  return choice(() => [field, write]);
}

/** A message with a field for each form that the value may have; undefined: none fits. */
export function choice(pick: (value: Json) => Field | undefined): WriteField {
  return (writer, number, value) => {
    writer.writeMessage(number, () => {
      const picked = pick(value);
      picked?.[1](writer, picked[0], value);
    });
  };
}

/** Whatever it is, as a text of YAML. */
export const any: WriteField = inside((writer, number, value) => {
  writeText(writer, number, JSON.stringify(value).replaceAll(UNPRINTABLE, escape));
}, 2);

/** JSON lets them stand as they are; in YAML they are not allowed, or break the line. */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff]/gu;

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function writeExtensions(writer: WireWriter, number: number, value: JsonObject): void {
  for (const name of Object.keys(value).toReversed()) {
    if (name.startsWith('x-')) writeNamed(writer, number, any, name, value[name] ?? null);
  }
}
