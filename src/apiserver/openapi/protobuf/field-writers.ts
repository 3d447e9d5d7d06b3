/**
 * Functions that write a value of a document as a field of a protobuf message.
 *
 * OpenAPI's protobuf messages differ from its JSON: a map is a list of names and values, a value of any type
 * is YAML text (JSON is valid YAML), and a choice is a message with one field. Each of these has a small
 * function here; openapi-v2.ts and openapi-v3.ts choose one for each field.
 *
 * The writer works from the end to the beginning, so everything is written in reverse.
 */
import { FIXED64, LENGTH, VARINT } from '../../../api/protobuf/wire-type.ts';
import type { WireWriter } from '../../../api/protobuf/wire-writer.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { printExactJson } from '../../../lib/json-text/exact-json.ts';

/** Writes the value as the field of that number, with its tag. */
export type WriteField = (writer: WireWriter, number: number, value: Json) => void;

/** By the key in JSON. A function, because a message may contain itself. */
export type Fields = () => Readonly<Record<string, Field>>;

export type Field = readonly [number: number, write: WriteField];
type KnownField = readonly [key: string, field: Field];

/** Empty strings, zeros and false are not written, as in every proto3 message. */
export const textField: WriteField = (writer, number, value) => {
  if (value !== '') writeText(writer, number, value);
};

export const flag: WriteField = (writer, number, value) => {
  if (value === true) writeFlag(writer, number, value);
};

export const integer: WriteField = (writer, number, value) => {
  if (typeof value === 'bigint') writer.writeBigInteger(value);
  else if (typeof value === 'number' && value !== 0) writer.writeInteger(value);
  else return;
  writer.writeTag(number, VARINT);
};

export const doubleField: WriteField = (writer, number, value) => {
  if (value !== 0) writeDouble(writer, number, value);
};

/** In a list or a choice even the empty string is written. */
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
  if (typeof value !== 'number' && typeof value !== 'bigint') return;
  writer.writeDouble(Number(value));
  writer.writeTag(number, FIXED64);
};

/** `extensions`: the number of the field that holds keys beginning with `x-`. */
export function message(fields: Fields, extensions?: number): WriteField {
  const write = fieldsWriter(fields, extensions);
  return (writer, number, value) => {
    writer.writeMessage(number, () => write(writer, value));
  };
}

/** Writes the fields of a message, without a tag or a length. */
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

/** A map, written as messages with a name (1) and a value (2). */
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
    textField(writer, 1, name);
  });
}

/** A message with a single field that holds the value. */
export function inside(write: WriteField, field = 1): WriteField {
  return choice(() => [field, write]);
}

/** A message with one field for each form of the value. Undefined: the value has none of these forms. */
export function choice(pick: (value: Json) => Field | undefined): WriteField {
  return (writer, number, value) => {
    writer.writeMessage(number, () => {
      const picked = pick(value);
      picked?.[1](writer, picked[0], value);
    });
  };
}

/** Any value, as YAML text. */
export const any: WriteField = inside((writer, number, value) => {
  writeText(writer, number, printExactJson(value).replaceAll(UNPRINTABLE, escape));
}, 2);

/** JSON allows these characters unescaped; YAML forbids them, or reads them as line breaks. */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff]/gu;

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function writeExtensions(writer: WireWriter, number: number, value: JsonObject): void {
  for (const name of Object.keys(value).toReversed()) {
    if (name.startsWith('x-')) writeNamed(writer, number, any, name, value[name] ?? null);
  }
}
