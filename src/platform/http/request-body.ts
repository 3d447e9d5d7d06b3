/** The body of a request, piece by piece, no faster than it is read. */
import type { Readable } from 'node:stream';
import { defineError } from '../../lib/errors.ts';

const requestBrokenOff = defineError<{ reason: string }>({
  code: 'REQUEST_BROKEN_OFF',
  retry: 'never',
  message: ({ reason }) => `the request broke off before its end: ${reason}`,
  hint: () => 'Send it again, whole, and in less than a minute.',
});

/**
 * Throws REQUEST_BROKEN_OFF if the client goes away or is too slow. Whoever has read enough leaves; the
 * connection must live on, to carry the answer.
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
