/**
 * Encodes the fields of a message as Kubernetes' generated code does.
 *
 * A pointer, bytes and a list in a separate message are written when they are present, even if they are
 * empty. Any other scalar or message is always written, as zero if it is absent. A list is written item by
 * item, a map entry by entry, sorted by the bytes of the keys.
 */
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { isJsonList, own } from '../patch/json-access.ts';
import type { Field, Shape } from '../schema/shape.ts';
import { valueUnwritable } from './protobuf-error.ts';
import { SCALAR_WRITERS } from './scalar-writer.ts';
import { valueWriter, type WriteStruct, type WriteTagged } from './value-writer.ts';
import { LENGTH } from './wire-type.ts';
import type { WireWriter } from './wire-writer.ts';

/** Reads the field from its object and writes it. */
export type WriteField = (writer: WireWriter, object: JsonObject) => void;

/** `owner` names the type of the object, for errors about values that do not fit. */
export function fieldWriter(field: Field, owner: string, writeStruct: WriteStruct): WriteField {
  const { name, number = 0, shape } = field;
  const fieldPath = `${owner}.${name}`;
  const write = writerOf(shape, writeStruct);
  if (isAlwaysWritten(field)) {
    return (writer, object) => write(writer, number, own(object, name) ?? null, fieldPath);
  }
  return (writer, object) => {
    const value = own(object, name) ?? null;
    if (value !== null) write(writer, number, value, fieldPath);
  };
}

function isAlwaysWritten({ pointer, shape }: Field): boolean {
  const isSlice = shape.kind === 'list' || (shape.kind === 'scalar' && shape.scalar === 'bytes');
  return !pointer && !isSlice && shape.kind !== 'map';
}

function writerOf(shape: Shape, writeStruct: WriteStruct): WriteTagged {
  if (shape.kind === 'map') return mapWriter(shape.value, writeStruct);
  if (shape.kind !== 'list' || shape.wrapped === true) return valueWriter(shape, writeStruct);
  const writeItem = valueWriter(shape.item, writeStruct);
  return (writer, number, value, fieldPath) => {
    if (!isJsonList(value)) throw valueUnwritable({ fieldPath, expected: 'a list' });
    for (let index = value.length - 1; index >= 0; index--) {
      writeItem(writer, number, value[index] ?? null, fieldPath);
    }
  };
}

function mapWriter(shape: Shape, writeStruct: WriteStruct): WriteTagged {
  const writeEntryValue = entryValueWriter(shape, writeStruct);
  return (writer, number, value, fieldPath) => {
    if (!isJsonObject(value)) throw valueUnwritable({ fieldPath, expected: 'an object' });
    for (const key of Object.keys(value).sort(compareUtf8).toReversed()) {
      writer.writeMessage(number, () => {
        writeEntryValue(writer, 2, value[key] ?? null, fieldPath);
        SCALAR_WRITERS.string.write(writer, key, fieldPath);
        writer.writeTag(1, LENGTH);
      });
    }
  };
}

/** Go omits nil bytes in a map entry, as it does in fields. */
function entryValueWriter(shape: Shape, writeStruct: WriteStruct): WriteTagged {
  const write = valueWriter(shape, writeStruct);
  if (shape.kind !== 'scalar' || shape.scalar !== 'bytes') return write;
  return (writer, number, value, fieldPath) => {
    if (value !== null) write(writer, number, value, fieldPath);
  };
}

/**
 * Go compares bytes of UTF-8, which is the order of code points. JavaScript compares UTF-16, where
 * the surrogates of characters beyond U+FFFF come before U+E000.
 */
function compareUtf8(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const [a, b] = [left.charCodeAt(index), right.charCodeAt(index)];
    if (a !== b) return isSurrogate(a) === isSurrogate(b) ? a - b : isSurrogate(a) ? 1 : -1;
  }
  return left.length - right.length;
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}
