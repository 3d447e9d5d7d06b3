/**
 * Sends a stream to a client, no faster than the client reads, and cancels it when the client disconnects.
 *
 * Chunks that arrive in the same turn of the event loop are sent together: otherwise a watch with many small
 * events would need a TLS record and a system call for each.
 */
import { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';

/** Functions that end the open streams; clients see a regular end. */
export type RunningStreams = Set<() => void>;

/** The maximum size of one write: a write is copied, and in HTTP/2 counts against the whole connection. */
const SLICE_BYTES = 64 * 1024;

/** Never rejects. A stream that fails breaks the connection: half an answer must not look complete. */
export async function sendStream(
  body: ReadableStream<Uint8Array>,
  out: Writable,
  running: RunningStreams,
  stallMs: number,
): Promise<void> {
  const reader = body.getReader();
  // If the stream fails while the client does not read, the client is not awaited.
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
 * In HTTP/1.1 Node.js corks the socket itself. The response must not be corked in addition: Node.js 22 and 24
 * (seen with 22.23 and 24.21) then write chunks with wrong lengths as soon as the client reads more slowly.
 */
function writeSoon(out: Writable | ServerResponse, chunk: Uint8Array): boolean {
  if (!(out instanceof ServerResponse) && out.writableCorked === 0) {
    out.cork();
    process.nextTick(() => out.uncork());
  }
  return out.write(chunk);
}

/**
 * Waits until the client has read. A client that reads nothing would keep its buffers allocated, so it is
 * disconnected after `stallMs`.
 */
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
