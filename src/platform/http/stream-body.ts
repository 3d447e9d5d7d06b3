/**
 * Sends a stream to a client, no faster than the client reads, and cancels it when the client is gone.
 *
 * Chunks that are there in the same turn leave together: a watch of many small events would otherwise
 * pay for a TLS record and a system call with each of them.
 */
import type { Writable } from 'node:stream';

/** What ends each of the streams under way; its client sees a regular end. */
export type RunningStreams = Set<() => void>;

/** What is written at once is copied, and over HTTP/2 it counts against the whole connection. */
const SLICE_BYTES = 64 * 1024;

/** Never rejects. A stream that fails breaks the connection: half an answer must not look whole. */
export async function sendStream(
  body: ReadableStream<Uint8Array>,
  out: Writable,
  running: RunningStreams,
  stallMs: number,
): Promise<void> {
  const reader = body.getReader();
  // Cancelling what has failed already rejects, and changes nothing.
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
    out.destroy(error instanceof Error ? error : new Error(String(error)));
  } finally {
    running.delete(end);
  }
}

/** An answer that is there as a whole. Never rejects. */
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

function writeSoon(out: Writable, chunk: Uint8Array): boolean {
  if (out.writableCorked === 0) {
    out.cork();
    process.nextTick(() => out.uncork());
  }
  return out.write(chunk);
}

/** A client that reads nothing for too long would keep its buffers without end: the server disconnects it. */
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
