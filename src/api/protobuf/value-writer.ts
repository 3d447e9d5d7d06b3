/**
 * Encodes one value (of a field, in a list or in a map) with its tag, by its shape. Everything that is not a
 * scalar is a message.
 */
import { InvariantError } from '../../lib/assert.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { isJsonList } from '../patch/json-access.ts';
import type { Shape, StructType } from '../schema/shape.ts';
import { structOf } from '../schema/schema.ts';
import { valueUnwritable } from './protobuf-error.ts';
import { SCALAR_WRITERS, type WriteValue } from './scalar-writer.ts';
import { specialWriters } from './special-writer.ts';
import type { WireWriter } from './wire-writer.ts';

/** Writes the body of a struct's message. */
export type WriteStruct = (type: StructType, writer: WireWriter, object: JsonObject) => void;

/** Writes a value and its tag. Null is written as the shape's zero value. */
export type WriteTagged = (
  writer: WireWriter,
  number: number,
  value: Json,
  fieldPath: string,
) => void;

export function valueWriter(shape: Shape, writeStruct: WriteStruct): WriteTagged {
  if (shape.kind === 'scalar') {
    const { wireType, write } = SCALAR_WRITERS[shape.scalar];
    return (writer, number, value, fieldPath) => {
      write(writer, value, fieldPath);
      writer.writeTag(number, wireType);
    };
  }
  const writeBody = bodyWriter(shape, writeStruct);
  return (writer, number, value, fieldPath) => {
    writer.writeMessage(number, () => writeBody(writer, value, fieldPath));
  };
}

function bodyWriter(shape: Shape, writeStruct: WriteStruct): WriteValue {
  switch (shape.kind) {
    case 'struct':
      return (writer, value, fieldPath) => {
        const object = value ?? {};
        if (!isJsonObject(object)) throw valueUnwritable({ fieldPath, expected: 'an object' });
        writeStruct(shape.type, writer, object);
      };
    case 'special':
      return specialWriters((writer, schema) => writeStruct(schemaProps(), writer, schema))[
        shape.special
      ];
    case 'list':
      return wrappedListWriter(valueWriter(shape.item, writeStruct));
    case 'scalar':
    case 'map':
    default:
      throw new InvariantError(`a ${shape.kind} is no message in protobuf`);
  }
}

function wrappedListWriter(writeItem: WriteTagged): WriteValue {
  return (writer, value, fieldPath) => {
    const items = value ?? [];
    if (!isJsonList(items)) throw valueUnwritable({ fieldPath, expected: 'a list' });
    for (const item of items.toReversed()) writeItem(writer, 1, item, fieldPath);
  };
}

/** Looked up late, because JSONSchemaProps contains itself. */
function schemaProps(): StructType {
  return structOf('apiextensions/v1.JSONSchemaProps');
}
