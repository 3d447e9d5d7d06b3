/**
 * Reads and writes the envelope around every protobuf object of Kubernetes: four bytes that name the format,
 * then a message.
 *
 *     "k8s" 0    1 type { 1 apiVersion, 2 kind }    2 raw: the object's message
 *                3 content encoding                 4 content type
 *
 * Content encoding and content type must be empty. Otherwise the raw bytes are not a plain message, and
 * decoding them as one would give a wrong object.
 */
import { protobufMalformed } from './protobuf-error.ts';
import { NO_BYTES, Pieces, type WireReader } from './wire-reader.ts';
import type { WireWriter } from './wire-writer.ts';
import { LENGTH } from './wire-type.ts';

export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  /** The position of the object's message, in the same bytes. */
  readonly raw: Pieces;
}

const MAGIC = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);
const CONTENT_TYPE = 'application/vnd.kubernetes.protobuf';

function isEnveloped(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, index) => bytes[index] === byte);
}

export function readEnvelope(bytes: Uint8Array, reader: WireReader): Envelope {
  if (!isEnveloped(bytes) || bytes.length === MAGIC.length) {
    throw protobufMalformed({
      reason: bytes.length > MAGIC.length ? 'it does not start with "k8s\\0"' : 'it is empty',
      offset: 0,
    });
  }
  const type = { apiVersion: '', kind: '' };
  const content = { encoding: '', type: '' };
  let raw = NO_BYTES;
  reader.eachField(new Pieces(MAGIC.length, bytes.length), (number, wireType) => {
    if (number === 1) readType(reader, wireType, type);
    else if (number === 2) raw = reader.readPieces(wireType);
    else if (number === 3) content.encoding = reader.readText(wireType);
    else if (number === 4) content.type = reader.readText(wireType);
    return number <= 4;
  });
  if (content.encoding !== '') reader.refuse(`it is encoded as ${content.encoding}`);
  if (content.type !== '' && content.type !== CONTENT_TYPE) {
    reader.refuse(`it contains ${content.type}`);
  }
  return { ...type, raw };
}

/** Writes the envelope; `writeRaw` writes the message in it. */
export function writeEnvelope(
  writer: WireWriter,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  writeRaw: () => void,
): void {
  // The writer goes from the end to the beginning.
  writer.writeText('');
  writer.writeTag(4, LENGTH);
  writer.writeText('');
  writer.writeTag(3, LENGTH);
  writer.writeMessage(2, writeRaw);
  writer.writeMessage(1, () => {
    writer.writeText(kind);
    writer.writeTag(2, LENGTH);
    writer.writeText(apiVersion);
    writer.writeTag(1, LENGTH);
  });
  writer.writeRaw(MAGIC);
}

function readType(
  reader: WireReader,
  wireType: number,
  type: { apiVersion: string; kind: string },
): void {
  reader.eachField(reader.readPieces(wireType), (number, wireType) => {
    if (number === 1) type.apiVersion = reader.readText(wireType);
    else if (number === 2) type.kind = reader.readText(wireType);
    return number === 1 || number === 2;
  });
}
