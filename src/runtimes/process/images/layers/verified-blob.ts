/**
 * Reads a blob of an OCI layout, and verifies size and digest of its descriptor while reading.
 *
 * Callers must not trust the content before `isVerified`: the digest is known only at the end.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';

export interface Descriptor {
  readonly digest: string;
  readonly sizeBytes: number;
  /** Empty: the descriptor has no media type. */
  readonly mediaType: string;
}

const CHUNK_BYTES = 256 * 1024;
/** The limit for manifests and configurations, which are read as a whole. */
const DOCUMENT_BYTES_MAX = 4 * 1024 * 1024;

export class VerifiedBlob {
  readonly #file: string;
  readonly #descriptor: Descriptor;
  #isVerified = false;

  constructor(layout: string, descriptor: Descriptor) {
    this.#file = blobFile(layout, descriptor);
    this.#descriptor = descriptor;
  }

  /** Whether all of it was read and matches the descriptor. */
  get isVerified(): boolean {
    return this.#isVerified;
  }

  async *chunks(signal: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
    await checkSize(this.#file, this.#descriptor);
    const hash = createHash('sha256');
    const stream = createReadStream(this.#file, { highWaterMark: CHUNK_BYTES, signal });
    let bytes = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > this.#descriptor.sizeBytes) break;
      hash.update(chunk);
      yield chunk;
    }
    if (bytes !== this.#descriptor.sizeBytes) throw sizeFault(bytes, this.#descriptor);
    checkDigest(hash.digest('hex'), this.#descriptor);
    this.#isVerified = true;
  }
}

/** The text of a small blob. */
export async function readDocument(layout: string, descriptor: Descriptor): Promise<string> {
  const file = blobFile(layout, descriptor);
  if (descriptor.sizeBytes > DOCUMENT_BYTES_MAX) {
    throw new Error(`${descriptor.digest} is larger than a document may be`);
  }
  await checkSize(file, descriptor);
  const content = await readFile(file);
  checkDigest(createHash('sha256').update(content).digest('hex'), descriptor);
  return content.toString('utf8');
}

function blobFile(layout: string, { digest }: Descriptor): string {
  return path.join(layout, 'blobs', 'sha256', digest.slice('sha256:'.length));
}

/** Checked before reading: most damaged blobs are truncated. */
async function checkSize(file: string, descriptor: Descriptor): Promise<void> {
  const { size } = await stat(file);
  if (size !== descriptor.sizeBytes) throw sizeFault(size, descriptor);
}

function sizeFault(bytes: number, { digest, sizeBytes }: Descriptor): Error {
  return new Error(`${digest} has ${bytes} bytes, and its descriptor says ${sizeBytes}`);
}

function checkDigest(hex: string, { digest }: Descriptor): void {
  if (digest !== `sha256:${hex}`)
    throw new Error(`${digest} is damaged: its digest is sha256:${hex}`);
}
