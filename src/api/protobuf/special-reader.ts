/**
 * Decodes types whose JSON differs from their message. Their messages are
 *
 *     Quantity                 1 the text
 *     Time, MicroTime          1 seconds since 1970, 2 nanoseconds; no bytes for "never"
 *     Duration                 1 nanoseconds
 *     IntOrString              1 which of them (0 or 1), 2 the integer, 3 the string
 *     RawExtension, FieldsV1,
 *     JSON                     1 the text of the JSON
 *     JSONSchemaPropsOrBool           1 the bool, 2 the schema
 *     JSONSchemaPropsOrArray          1 the schema, 2 the list
 *     JSONSchemaPropsOrStringArray    1 the schema, 2 the list
 */
import type { Json, JsonObject } from '../../lib/json.ts';
import { formatQuantity, parseQuantity } from '../values/quantity-text.ts';
import type { Special } from '../schema/shape.ts';
import { formatGoDuration } from '../values/time-duration.ts';
import { formatMicroTime, formatTime } from '../values/time.ts';
import { parseEmbeddedJson } from './embedded-json.ts';
import { Pieces, type WireReader } from './wire-reader.ts';

/** Decodes the message at the current position. */
export type ReadBody = (reader: WireReader, pieces: Pieces) => Json;

/** Decodes a JSONSchemaProps, whose message has no special form. */
export type ReadSchema = (reader: WireReader, pieces: Pieces) => JsonObject;

/** The first second of the year 1, Go's zero: it means that there is no time. */
const ZERO_SECONDS = -62_135_596_800;
const NANOS_PER_MS = 1_000_000;

/** The years that a time in JSON can have. */
const SECONDS_MIN = -62_167_219_200;
const SECONDS_MAX = 253_402_300_799;

let lastTime = { seconds: 0, text: formatTime(0) };

/** Matches most quantities: they are canonical already. */
const CANONICAL_QUANTITY = /^(?:0|[1-9]\d{0,2}(?:[numkMGTP]|[KMGTP]i)?)$/;

const [INTEGER, STRING] = [0, 1] as const;

export function specialReaders(readSchema: ReadSchema): Readonly<Record<Special, ReadBody>> {
  return {
    Quantity: readQuantity,
    Time: readTime,
    MicroTime: readMicroTime,
    Duration: readDuration,
    IntOrString: readIntOrString,
    RawExtension: readRaw,
    FieldsV1: readRawUnlessEmpty,
    JSON: readRawUnlessEmpty,
    JSONSchemaPropsOrBool: (reader, pieces) => readSchemaOrBool(reader, pieces, readSchema),
    JSONSchemaPropsOrArray: (reader, pieces) =>
      readSchemaOrList(reader, pieces, readSchema, (wireType) =>
        readSchema(reader, reader.readPieces(wireType)),
      ),
    JSONSchemaPropsOrStringArray: (reader, pieces) =>
      readSchemaOrList(reader, pieces, readSchema, (wireType) => reader.readText(wireType)),
  };
}

function readQuantity(reader: WireReader, pieces: Pieces): Json {
  let text = '0';
  reader.eachField(pieces, (number, wireType) => {
    if (number !== 1) return false;
    const sent = reader.readText(wireType);
    text = CANONICAL_QUANTITY.test(sent) ? sent : formatQuantity(parseQuantity(sent));
    return true;
  });
  return text;
}

function readTime(reader: WireReader, pieces: Pieces): Json {
  const { seconds, isSent } = readTimestamp(reader, pieces);
  if (!isSent || seconds === ZERO_SECONDS) return null;
  // The times in one object are often the same, so the last text is cached.
  if (seconds !== lastTime.seconds) lastTime = { seconds, text: formatTime(seconds * 1000) };
  return lastTime.text;
}

function readMicroTime(reader: WireReader, pieces: Pieces): Json {
  const { seconds, nanos, isSent } = readTimestamp(reader, pieces);
  // JSON shows whole microseconds.
  const whole = Math.trunc(nanos / 1000) * 1000;
  if (!isSent || (seconds === ZERO_SECONDS && whole === 0)) return null;
  const ms = Math.floor(whole / NANOS_PER_MS);
  return formatMicroTime(seconds * 1000 + ms, whole - ms * NANOS_PER_MS);
}

/** If a time occurs twice the last one counts; other messages would be merged. */
function readTimestamp(
  reader: WireReader,
  { start, end, later = [] }: Pieces,
): { readonly seconds: number; readonly nanos: number; readonly isSent: boolean } {
  const last = new Pieces(later.at(-2) ?? start, later.at(-1) ?? end);
  let seconds = 0;
  let nanos = 0;
  reader.eachField(last, (number, wireType) => {
    if (number === 1) seconds = Number(reader.readInt64(wireType));
    else if (number === 2) nanos = reader.readInt32(wireType);
    return number === 1 || number === 2;
  });
  if (seconds < SECONDS_MIN || seconds > SECONDS_MAX) {
    reader.refuse('a time outside the years 0 to 9999');
  }
  return { seconds, nanos, isSent: last.end > last.start };
}

/** No built-in kind has one today. Beyond some weeks, the last nanosecond may be rounded. */
function readDuration(reader: WireReader, pieces: Pieces): Json {
  let nanos = 0n;
  reader.eachField(pieces, (number, wireType) => {
    if (number === 1) nanos = reader.readBigInt64(wireType);
    return number === 1;
  });
  const perMs = BigInt(NANOS_PER_MS);
  return formatGoDuration(Number(nanos / perMs) + Number(nanos % perMs) / NANOS_PER_MS);
}

function readIntOrString(reader: WireReader, pieces: Pieces): Json {
  let which: number | bigint = INTEGER;
  let integer = 0;
  let text = '';
  reader.eachField(pieces, (number, wireType) => {
    if (number === 1) which = reader.readInt64(wireType);
    else if (number === 2) integer = reader.readInt32(wireType);
    else if (number === 3) text = reader.readText(wireType);
    return number <= 3;
  });
  if (which === INTEGER) return integer;
  return which === STRING ? text : reader.refuse(`IntOrString has no type ${which}`);
}

function readRaw(reader: WireReader, pieces: Pieces): Json {
  const raw = readRawBytes(reader, pieces);
  return raw === undefined ? null : parse(reader, raw);
}

function readRawUnlessEmpty(reader: WireReader, pieces: Pieces): Json {
  const raw = readRawBytes(reader, pieces);
  return raw === undefined || raw.length === 0 ? null : parse(reader, raw);
}

function readRawBytes(reader: WireReader, pieces: Pieces): Uint8Array | undefined {
  let raw: Uint8Array | undefined;
  reader.eachField(pieces, (number, wireType) => {
    if (number === 1) raw = reader.readBytes(wireType);
    return number === 1;
  });
  return raw;
}

function parse(reader: WireReader, raw: Uint8Array): Json {
  const value = parseEmbeddedJson(raw);
  return value === undefined ? reader.refuse('what should be JSON in it is not') : value;
}

function readSchemaOrBool(reader: WireReader, pieces: Pieces, readSchema: ReadSchema): Json {
  let allows = false;
  let schema: Pieces | undefined;
  reader.eachField(pieces, (number, wireType) => {
    if (number === 1) allows = reader.readBool(wireType);
    else if (number === 2) schema = reader.readPieces(wireType, schema);
    return number === 1 || number === 2;
  });
  return schema === undefined ? allows : readSchema(reader, schema);
}

function readSchemaOrList(
  reader: WireReader,
  pieces: Pieces,
  readSchema: ReadSchema,
  readItem: (wireType: number) => Json,
): Json {
  const items: Json[] = [];
  let schema: Pieces | undefined;
  reader.eachField(pieces, (number, wireType) => {
    if (number === 1) schema = reader.readPieces(wireType, schema);
    else if (number === 2) items.push(readItem(wireType));
    return number === 1 || number === 2;
  });
  if (items.length > 0) return items;
  return schema === undefined ? null : readSchema(reader, schema);
}
