/**
 * Sends a stream to a client, no faster than the client reads, and cancels it when the client is gone.
 *
 * Chunks that arrive in the same turn are sent together: a watch of many small events would otherwise
 * pay for a TLS record and a system call with each of them.
 */
import { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';

/** Functions that end the streams under way; their clients see a regular end. */
export type RunningStreams = Set<() => void>;

/** What is written at once is copied, and over HTTP/2 it counts against the whole connection. */
const SLICE_BYTES = 64 * 1024;

/** Never rejects. A stream that fails breaks the connection: half an answer must not look complete. */
export async function sendStream(
  body: ReadableStream<Uint8Array>,
  out: Writable,
  running: RunningStreams,
  stallMs: number,
): Promise<void> {
  const reader = body.getReader();
  // A stream may fail while its client does not read: then the client is not waited for.
  reader.closed.catch((error: unknown) => out.destroy(asError(error)));
  // Cancelling a failed stream rejects, and changes nothing.
  const end = (): void => void reader.cancel().catch(() => {});
  if (out.destroyed) return end();
  running.add(end);
  out.once('close', end);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      await writeSlices(out, value, stallMs);
      if (out.destroyed) break;
    }
    out.end();
  } catch (error) {
    out.destroy(asError(error));
  } finally {
    running.delete(end);
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** Sends an answer that is not a stream. Never rejects. */
export async function sendWhole(
  body: string | Uint8Array,
  out: Writable,
  stallMs: number,
): Promise<void> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  if (bytes.byteLength <= SLICE_BYTES) return void out.end(bytes);
  await writeSlices(out, bytes, stallMs);
  out.end();
}

async function writeSlices(out: Writable, bytes: Uint8Array, stallMs: number): Promise<void> {
  for (let at = 0; at < bytes.byteLength && !out.destroyed; at += SLICE_BYTES) {
    if (!writeSoon(out, bytes.subarray(at, at + SLICE_BYTES))) await whenDrained(out, stallMs);
  }
}

/**
 * An answer in HTTP/1.1 corks its socket by itself. It must not be corked too: Node.js 22 and 24 (seen
 * with 22.23 and 24.21) then write chunks with wrong lengths, as soon as the client reads more slowly.
 */
function writeSoon(out: Writable | ServerResponse, chunk: Uint8Array): boolean {
  if (!(out instanceof ServerResponse) && out.writableCorked === 0) {
    out.cork();
    process.nextTick(() => out.uncork());
  }
  return out.write(chunk);
}

/** A client that reads nothing would keep its buffers allocated: the server disconnects it. */
function whenDrained(out: Writable, stallMs: number): Promise<void> {
  return new Promise((resolve) => {
    const stall = setTimeout(() => out.destroy(), stallMs);
    const settle = (): void => {
      clearTimeout(stall);
      out.off('drain', settle).off('close', settle);
      resolve();
    };
    out.once('drain', settle).once('close', settle);
  });
}
