/**
 * Measures the requests of a Transport: the time until the answer begins, the status code, and the clock skew
 * to the server.
 */
import type { Clock } from '../../ports/clock.ts';
import type { RequestObserver } from '../../ports/observe/request-observer.ts';
import type { Transport } from './transport.ts';

const HALF_A_SECOND = 500;

export function measuredTransport(
  transport: Transport,
  host: string,
  clock: Clock,
  observer: RequestObserver,
): Transport {
  return {
    send: async (request, signal) => {
      const beganAtMs = clock.monotonic();
      const ended = (code: number | null): void =>
        observer.answered(host, request.method, code, (clock.monotonic() - beganAtMs) / 1000);
      try {
        const response = await transport.send(request, signal);
        ended(response.status);
        const serverMs = Date.parse(response.header('date') ?? '');
        // The Date header is truncated to whole seconds; the server created the answer half a round trip ago.
        const madeAtMs = clock.now() - (clock.monotonic() - beganAtMs) / 2;
        if (!Number.isNaN(serverMs)) observer.serverAhead?.(serverMs + HALF_A_SECOND - madeAtMs);
        return response;
      } catch (error) {
        ended(null);
        throw error;
      }
    },
    close: () => transport.close(),
  };
}
