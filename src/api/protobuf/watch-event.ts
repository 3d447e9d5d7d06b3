/**
 * Encodes and decodes watch events in `application/vnd.kubernetes.protobuf;stream=watch`.
 *
 *     1 type: "ADDED"    2 object { 1 raw: the object, in its own envelope }
 *
 * The event itself has no envelope: the client knows its type. In JSON the object is a field of the event;
 * here it is bytes inside the event, so events need their own code. On the wire each event is preceded by its
 * length, four bytes, big-endian.
 */
import type { JsonObject } from '../../lib/json.ts';
import { decodeProtobuf } from './decode.ts';
import { encodeProtobuf } from './encode.ts';
import { Pieces, WireReader } from './wire-reader.ts';
import { LENGTH } from './wire-type.ts';
import { WireWriter } from './wire-writer.ts';

export interface WatchEvent {
  readonly type: string;
  readonly object: JsonObject;
}

const FRAME_HEADER_BYTES = 4;

export function encodeWatchEvent({ type, object }: WatchEvent): Uint8Array {
  const raw = encodeProtobuf(object);
  const writer = new WireWriter();
  writer.writeMessage(2, () => {
    writer.writeBytes(raw);
    writer.writeTag(1, LENGTH);
  });
  writer.writeText(type);
  writer.writeTag(1, LENGTH);
  return writer.finish();
}

export function decodeWatchEvent(bytes: Uint8Array): WatchEvent {
  const reader = new WireReader(bytes);
  let type = '';
  let raw: Uint8Array = new Uint8Array();
  reader.eachField(new Pieces(0, bytes.length), (number, wireType) => {
    if (number === 1) type = reader.readText(wireType);
    else if (number === 2) raw = readRaw(reader, wireType);
    return number === 1 || number === 2;
  });
  return { type, object: decodeProtobuf(raw).object };
}

/** The message with its length before it, as streams have it. */
export function frameMessage(message: Uint8Array): Uint8Array {
  const frame = new Uint8Array(FRAME_HEADER_BYTES + message.length);
  new DataView(frame.buffer).setUint32(0, message.length);
  frame.set(message, FRAME_HEADER_BYTES);
  return frame;
}

function readRaw(reader: WireReader, wireType: number): Uint8Array {
  let raw: Uint8Array = new Uint8Array();
  reader.eachField(reader.readPieces(wireType), (number, wireType) => {
    if (number === 1) raw = reader.readBytes(wireType);
    return number === 1;
  });
  return raw;
}
