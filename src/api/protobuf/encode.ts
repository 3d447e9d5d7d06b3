/**
 * Encodes objects as Kubernetes' protobuf, byte for byte as Go does.
 *
 *     envelope.ts ──> message-writer.ts ──> field-writer.ts ──> value-writer.ts
 *                           ^                                     │ scalar-writer.ts
 *                           └──────── structs in structs ─────────┘ special-writer.ts
 *
 * All of them write through one WireWriter, from the end to the beginning, and all are driven by the
 * schema. Protobuf cannot distinguish an empty list or map from a missing one, so `[]` in JSON comes
 * back as null, or is left out.
 */
import type { JsonObject } from '../../lib/json.ts';
import { own } from '../patch/json-access.ts';
import type { StructType } from '../schema/shape.ts';
import { writeEnvelope } from './envelope.ts';
import { messageOf } from './message-kind.ts';
import { writeMessage } from './message-writer.ts';
import { WireWriter } from './wire-writer.ts';

/** Encodes an object in its envelope, by its apiVersion and kind. */
export function encodeProtobuf(object: JsonObject): Uint8Array {
  const [apiVersion, kind] = [textOf(object, 'apiVersion'), textOf(object, 'kind')];
  const type = messageOf(apiVersion, kind);
  const writer = new WireWriter();
  writeEnvelope(writer, { apiVersion, kind }, () => writeMessage(type, writer, object));
  return writer.finish();
}

/** Encodes a message without an envelope, as nested messages are. */
export function encodeMessage(type: StructType, object: JsonObject): Uint8Array {
  const writer = new WireWriter();
  writeMessage(type, writer, object);
  return writer.finish();
}

function textOf(object: JsonObject, key: string): string {
  const value = own(object, key);
  return typeof value === 'string' ? value : '';
}
