/**
 * Decodes Kubernetes' protobuf to the JSON that Go would print for the same object.
 *
 *     envelope.ts ──kind──> message-reader.ts ──> field-reader.ts ──> value-reader.ts
 *                                 ^                                     │ scalar-reader.ts
 *                                 └──────── structs in structs ─────────┘ special-reader.ts
 *
 * All of them read through one WireReader, which checks the bounds, and all are driven by the schema:
 * no kind is known by name here.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { StructType } from '../schema/shape.ts';
import { readEnvelope } from './envelope.ts';
import { hasTypeMeta, messageOf } from './message-kind.ts';
import { readMessage } from './message-reader.ts';
import { Pieces, WireReader } from './wire-reader.ts';

export interface DecodedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly object: JsonObject;
}

/**
 * Decodes an object in its envelope. A request body may omit kind and apiVersion, which its path implies:
 * `defaults` then provides them.
 */
export function decodeProtobuf(
  bytes: Uint8Array,
  defaults: { readonly apiVersion?: string; readonly kind?: string } = {},
): DecodedObject {
  const reader = new WireReader(bytes);
  const envelope = readEnvelope(bytes, reader);
  const apiVersion = envelope.apiVersion || (defaults.apiVersion ?? '');
  const kind = envelope.kind || (defaults.kind ?? '');
  const type = messageOf(apiVersion, kind);
  const head = hasTypeMeta(type) ? { kind, apiVersion } : {};
  return { apiVersion, kind, object: readMessage(type, reader, envelope.raw, head) };
}

/** Decodes a message without an envelope, as nested messages are. */
export function decodeMessage(type: StructType, bytes: Uint8Array): JsonObject {
  return readMessage(type, new WireReader(bytes), new Pieces(0, bytes.length));
}
