/**
 * Encodes types whose JSON differs from their message; special-reader.ts lists the messages. Each function
 * writes the body of one message, the field with the largest number first. Null is written as Go's zero
 * value.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { formatQuantity, readQuantity } from '../values/quantity-text.ts';
import type { Special } from '../schema/shape.ts';
import { parseGoDuration } from '../values/time-duration.ts';
import { parseTime, type Instant } from '../values/time.ts';
import { isJsonList } from '../patch/json-access.ts';
import { formatEmbeddedJson } from './embedded-json.ts';
import { valueUnwritable } from './protobuf-error.ts';
import { SCALAR_WRITERS, type WriteValue } from './scalar-writer.ts';
import { LENGTH, VARINT } from './wire-type.ts';
import type { WireWriter } from './wire-writer.ts';

/** Encodes the body of a JSONSchemaProps, whose message has no special form. */
export type WriteSchema = (writer: WireWriter, schema: JsonObject) => void;

/** The first second of the year 1: Go's zero time. */
const ZERO_MS = -62_135_596_800_000;
const NANOS_PER_MS = 1_000_000;

const [INTEGER, STRING] = [0, 1] as const;

export function specialWriters(writeSchema: WriteSchema): Readonly<Record<Special, WriteValue>> {
  return {
    Quantity: writeQuantity,
    Time: (writer, value, fieldPath) => writeTimestamp(writer, value, fieldPath, () => 0),
    MicroTime: (writer, value, fieldPath) => writeTimestamp(writer, value, fieldPath, wholeMicros),
    Duration: writeDuration,
    IntOrString: writeIntOrString,
    RawExtension: writeRaw,
    FieldsV1: writeRaw,
    JSON: writeRaw,
    JSONSchemaPropsOrBool: (writer, value, fieldPath) =>
      writeSchemaOrBool(writer, value, fieldPath, writeSchema),
    JSONSchemaPropsOrArray: (writer, value, fieldPath) =>
      writeSchemaOrList(writer, value, fieldPath, writeSchema, (item) => {
        writer.writeMessage(2, () => writeSchema(writer, asSchema(item, fieldPath)));
      }),
    JSONSchemaPropsOrStringArray: (writer, value, fieldPath) =>
      writeSchemaOrList(writer, value, fieldPath, writeSchema, (item) => {
        SCALAR_WRITERS.string.write(writer, item, fieldPath);
        writer.writeTag(2, LENGTH);
      }),
  };
}

function writeQuantity(writer: WireWriter, value: Json, fieldPath: string): void {
  const amount = value ?? '0';
  if (typeof amount !== 'string' && typeof amount !== 'number') {
    throw valueUnwritable({ fieldPath, expected: 'a quantity' });
  }
  writer.writeText(formatQuantity(readQuantity(amount)));
  writer.writeTag(1, LENGTH);
}

function writeTimestamp(
  writer: WireWriter,
  value: Json,
  fieldPath: string,
  nanosOf: (instant: Instant) => number,
): void {
  if (value === null) return;
  if (typeof value !== 'string') throw valueUnwritable({ fieldPath, expected: 'a time' });
  const instant = parseTime(value);
  if (instant.ms === ZERO_MS && instant.nanos === 0) return;
  writer.writeInteger(nanosOf(instant));
  writer.writeTag(2, VARINT);
  writer.writeInteger(Math.floor(instant.ms / 1000));
  writer.writeTag(1, VARINT);
}

/** The nanoseconds within the second, truncated to microseconds. */
function wholeMicros({ ms, nanos }: Instant): number {
  const rest = ms - Math.floor(ms / 1000) * 1000;
  return rest * NANOS_PER_MS + Math.floor(nanos / 1000) * 1000;
}

function writeDuration(writer: WireWriter, value: Json, fieldPath: string): void {
  if (value !== null && typeof value !== 'string') {
    throw valueUnwritable({ fieldPath, expected: 'a duration' });
  }
  const ms = parseGoDuration(value ?? '0');
  SCALAR_WRITERS.int64.write(writer, Math.round(ms * NANOS_PER_MS), fieldPath);
  writer.writeTag(1, VARINT);
}

function writeIntOrString(writer: WireWriter, value: Json, fieldPath: string): void {
  const isText = typeof value === 'string';
  if (!isText && value !== null && typeof value !== 'number') {
    throw valueUnwritable({ fieldPath, expected: 'an integer or a string' });
  }
  writer.writeText(isText ? value : '');
  writer.writeTag(3, LENGTH);
  SCALAR_WRITERS.int32.write(writer, isText ? 0 : value, fieldPath);
  writer.writeTag(2, VARINT);
  writer.writeInteger(isText ? STRING : INTEGER);
  writer.writeTag(1, VARINT);
}

function writeRaw(writer: WireWriter, value: Json): void {
  if (value === null) return;
  writer.writeText(formatEmbeddedJson(value));
  writer.writeTag(1, LENGTH);
}

function writeSchemaOrBool(
  writer: WireWriter,
  value: Json,
  fieldPath: string,
  writeSchema: WriteSchema,
): void {
  if (value !== null && typeof value !== 'boolean') {
    writer.writeMessage(2, () => writeSchema(writer, asSchema(value, fieldPath)));
  }
  writer.writeInteger(value === null || value === false ? 0 : 1);
  writer.writeTag(1, VARINT);
}

function writeSchemaOrList(
  writer: WireWriter,
  value: Json,
  fieldPath: string,
  writeSchema: WriteSchema,
  writeItem: (item: Json) => void,
): void {
  if (value === null) return;
  if (isJsonList(value)) {
    for (const item of value.toReversed()) writeItem(item);
  } else {
    writer.writeMessage(1, () => writeSchema(writer, asSchema(value, fieldPath)));
  }
}

function asSchema(value: Json, fieldPath: string): JsonObject {
  if (value === null) return {};
  if (!isJsonObject(value)) throw valueUnwritable({ fieldPath, expected: 'a schema' });
  return value;
}
