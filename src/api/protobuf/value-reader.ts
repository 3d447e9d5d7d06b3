/**
 * Decodes one value (of a field, in a list or in a map) by its shape.
 *
 * Everything that is not a scalar is a message. A message is decoded from the positions of its pieces
 * (wire-reader.ts).
 */
import { InvariantError } from '../../lib/assert.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import type { Shape, StructType } from '../schema/shape.ts';
import { structOf } from '../schema/schema.ts';
import { SCALAR_READERS } from './scalar-reader.ts';
import { specialReaders, type ReadBody } from './special-reader.ts';
import { NO_BYTES, type Pieces, type WireReader } from './wire-reader.ts';

/** Reads the message of a struct. */
export type ReadStruct = (type: StructType, reader: WireReader, pieces: Pieces) => JsonObject;

/** Reads a value at the current position. */
export type ReadValue = (reader: WireReader, wireType: number) => Json;

export interface ValueReader {
  readonly read: ReadValue;
  /** The value of a map entry that consists of a key only. */
  readonly missing: (reader: WireReader) => Json;
}

export function valueReader(shape: Shape, readStruct: ReadStruct): ValueReader {
  if (shape.kind === 'scalar') {
    const { read, zero } = SCALAR_READERS[shape.scalar];
    // In a map entry Go reads missing bytes as empty; elsewhere they would be null.
    return { read, missing: () => zero ?? '' };
  }
  const readBody = bodyReader(shape, readStruct);
  return {
    read: (reader, wireType) => readBody(reader, reader.readPieces(wireType)),
    missing: (reader) => readBody(reader, NO_BYTES),
  };
}

/** The reader of a shape that is a message. */
export function bodyReader(shape: Shape, readStruct: ReadStruct): ReadBody {
  switch (shape.kind) {
    case 'struct':
      return (reader, pieces) => readStruct(shape.type, reader, pieces);
    case 'special':
      return specialReaders((reader, pieces) => readStruct(schemaProps(), reader, pieces))[
        shape.special
      ];
    case 'list':
      return wrappedListReader(valueReader(shape.item, readStruct).read);
    case 'scalar':
    case 'map':
    default:
      throw new InvariantError(`a ${shape.kind} is no message in protobuf`);
  }
}

function wrappedListReader(readItem: ReadValue): ReadBody {
  return (reader, pieces) => {
    const items: Json[] = [];
    reader.eachField(pieces, (number, wireType) => {
      if (number === 1) items.push(readItem(reader, wireType));
      return number === 1;
    });
    return items;
  };
}

/** Looked up late, because JSONSchemaProps contains itself. */
function schemaProps(): StructType {
  return structOf('apiextensions/v1.JSONSchemaProps');
}
