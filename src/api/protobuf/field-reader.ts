/**
 * Decodes the fields of a message to JSON. A field may occur once, several times or never:
 *
 *     scalar     the last one counts
 *     message    all occurrences together are one message, sent in pieces
 *     list       each is an item; numbers may come packed, many in one
 *     map        each is an entry, a message with the key in field 1 and the value in field 2
 *
 * The JSON shows a field as Go does: a pointer only if it was sent; any other field always, with its zero
 * value if it was not sent, unless it is empty and `omitEmpty`. To Go a struct is never empty.
 */
import { unreachable } from '../../lib/assert.ts';
import type { Json } from '../../lib/json.ts';
import { put, type MutableJsonObject } from '../patch/json-access.ts';
import type { Field, Shape } from '../schema/shape.ts';
import { SCALAR_READERS, type ScalarReader } from './scalar-reader.ts';
import type { ReadBody } from './special-reader.ts';
import { bodyReader, valueReader, type ReadStruct, type ValueReader } from './value-reader.ts';
import { NO_BYTES, type Pieces, type WireReader } from './wire-reader.ts';
import { LENGTH } from './wire-type.ts';

export interface FieldReader {
  readonly name: string;
  /** Called when the field first occurs in a message. */
  open(): OpenField;
  /** The JSON of a field that never occurred. Absent: the field is omitted. */
  readonly absent: ((reader: WireReader) => Json | undefined) | undefined;
}

/** A field of a message that is being read. */
export interface OpenField {
  take(reader: WireReader, wireType: number): void;
  finish(reader: WireReader): Json | undefined;
}

/** `omitZero`: even a struct is omitted when it is zero (see message-reader.ts). */
export interface FieldOptions {
  readonly omitZero: boolean;
  readonly readStruct: ReadStruct;
}

export function fieldReader(field: Field, options: FieldOptions): FieldReader {
  const { shape } = field;
  switch (shape.kind) {
    case 'scalar':
      return scalarField(field, SCALAR_READERS[shape.scalar]);
    case 'list':
      if (shape.wrapped === true) return messageField(field, options);
      return listField(field, shape.item, options.readStruct);
    case 'map':
      return mapField(field, shape.value, options.readStruct);
    case 'struct':
    case 'special':
      return messageField(field, options);
    default:
      return unreachable(shape);
  }
}

function scalarField({ name, pointer, omitEmpty }: Field, scalar: ScalarReader): FieldReader {
  const zero = pointer ? null : scalar.zero;
  return {
    name,
    open: () => new OpenScalar(scalar, omitEmpty && !pointer),
    absent: omitEmpty ? undefined : () => zero,
  };
}

function messageField(field: Field, { readStruct, omitZero }: FieldOptions): FieldReader {
  const readBody = bodyReader(field.shape, readStruct);
  const canBeMissing = field.pointer || field.shape.kind === 'list';
  const zero = (reader: WireReader): Json | undefined =>
    shown(readBody(reader, NO_BYTES), omitZero);
  return {
    name: field.name,
    open: () => new OpenMessage(readBody, omitZero),
    absent: canBeMissing ? missing(field) : zero,
  };
}

function listField(field: Field, item: Shape, readStruct: ReadStruct): FieldReader {
  const { read } = valueReader(item, readStruct);
  const isPackable = item.kind === 'scalar' && SCALAR_READERS[item.scalar].wireType !== LENGTH;
  const packed = isPackable ? SCALAR_READERS[item.scalar] : undefined;
  const absent = missing(field);
  return { name: field.name, open: () => new OpenList(read, packed, absent?.()), absent };
}

function mapField(field: Field, shape: Shape, readStruct: ReadStruct): FieldReader {
  const value = valueReader(shape, readStruct);
  return { name: field.name, open: () => new OpenMap(value), absent: missing(field) };
}

/** A type whose zero value is nil: the JSON is null, or the field is omitted. */
function missing({ omitEmpty }: Field): (() => null) | undefined {
  return omitEmpty ? undefined : () => null;
}

class OpenScalar implements OpenField {
  readonly #scalar: ScalarReader;
  readonly #omitEmpty: boolean;
  #value: Json = null;

  constructor(scalar: ScalarReader, omitEmpty: boolean) {
    this.#scalar = scalar;
    this.#omitEmpty = omitEmpty;
  }

  take(reader: WireReader, wireType: number): void {
    this.#value = this.#scalar.read(reader, wireType);
  }

  finish(): Json | undefined {
    const value = this.#value;
    const isEmpty = value === '' || value === 0 || value === false;
    return this.#omitEmpty && isEmpty ? undefined : value;
  }
}

class OpenMessage implements OpenField {
  readonly #read: ReadBody;
  readonly #omitZero: boolean;
  #pieces: Pieces | undefined;

  constructor(read: ReadBody, omitZero: boolean) {
    this.#read = read;
    this.#omitZero = omitZero;
  }

  take(reader: WireReader, wireType: number): void {
    this.#pieces = reader.readPieces(wireType, this.#pieces);
  }

  finish(reader: WireReader): Json | undefined {
    return shown(this.#read(reader, this.#pieces ?? NO_BYTES), this.#omitZero);
  }
}

class OpenList implements OpenField {
  readonly #read: (reader: WireReader, wireType: number) => Json;
  readonly #packed: ScalarReader | undefined;
  /** The value of a list without items: a packed one may have none. */
  readonly #empty: null | undefined;
  readonly #items: Json[] = [];

  constructor(
    read: (reader: WireReader, wireType: number) => Json,
    packed: ScalarReader | undefined,
    empty: null | undefined,
  ) {
    this.#read = read;
    this.#packed = packed;
    this.#empty = empty;
  }

  take(reader: WireReader, wireType: number): void {
    const packed = this.#packed;
    if (wireType === LENGTH && packed !== undefined) {
      reader.readPacked(() => this.#items.push(packed.read(reader, packed.wireType)));
    } else {
      this.#items.push(this.#read(reader, wireType));
    }
  }

  finish(): Json | undefined {
    return this.#items.length === 0 ? this.#empty : this.#items;
  }
}

class OpenMap implements OpenField {
  readonly #value: ValueReader;
  readonly #entries: MutableJsonObject = {};

  constructor(value: ValueReader) {
    this.#value = value;
  }

  take(reader: WireReader, wireType: number): void {
    let key = '';
    let value: Json | undefined;
    reader.eachField(reader.readPieces(wireType), (number, type) => {
      if (number === 1) key = reader.readText(type);
      else if (number === 2) value = this.#value.read(reader, type);
      return number === 1 || number === 2;
    });
    put(this.#entries, key, value === undefined ? this.#value.missing(reader) : value);
  }

  finish(): Json {
    return this.#entries;
  }
}

function shown(value: Json, omitZero: boolean): Json | undefined {
  return omitZero && value === null ? undefined : value;
}
