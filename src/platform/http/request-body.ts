/** Reads the body of a request chunk by chunk, no faster than the handler consumes it. */
import type { Readable } from 'node:stream';
import { defineError } from '../../lib/errors.ts';

const requestBrokenOff = defineError<{ reason: string }>({
  code: 'REQUEST_BROKEN_OFF',
  retry: 'never',
  message: ({ reason }) => `the request broke off before its end: ${reason}`,
  hint: () => 'Send it again, whole, and in less than a minute.',
});

/**
 * Throws REQUEST_BROKEN_OFF if the client disconnects or is too slow. If a reader stops early, the connection
 * stays open for the answer.
 */
export function readBody(readable: Readable): AsyncIterable<Uint8Array> {
  return {
    async *[Symbol.asyncIterator]() {
      try {
        yield* readable.iterator({ destroyOnReturn: false });
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw requestBrokenOff({ reason }, error);
      }
    },
  };
}
