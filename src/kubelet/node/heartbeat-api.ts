/**
 * Sends heartbeat requests (Node status and Lease) to the API server: they have no client-side rate limit,
 * and time out before they become useless (KL-107).
 */
import type { JsonObject } from '../../lib/json.ts';
import { ApiError } from '../../ports/api/api-client.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KubeApi, KubeRequest } from '../../ports/api/kube-api.ts';
import { heartbeatTimedOut } from '../waiting/pause.ts';

export type Send = (request: KubeRequest) => Promise<JsonObject>;

export interface HeartbeatDeps {
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly leaseDurationSeconds: number;
  /** Called whenever the API server has answered, whatever it answered. */
  readonly answered?: () => void;
  /** After its abort nothing is sent any more. */
  readonly signal: AbortSignal;
}

const LIMIT_SECONDS_MAX = 10;

export function heartbeatApi(deps: HeartbeatDeps): Send {
  const { api, clock, signal } = deps;
  const seconds = Math.min(LIMIT_SECONDS_MAX, deps.leaseDurationSeconds);
  return async (request) => {
    signal.throwIfAborted();
    const late = new AbortController();
    const overdue = heartbeatTimedOut({ request: `${request.method} ${request.path}`, seconds });
    const cancel = clock.after(seconds * 1000, () => late.abort(overdue));
    const either = AbortSignal.any([signal, late.signal]);
    try {
      const answer = await Promise.race([api.send(request, either), rejection(either)]);
      deps.answered?.();
      return answer;
    } catch (error) {
      if (error instanceof ApiError) deps.answered?.();
      throw error;
    } finally {
      cancel();
    }
  };
}

export function hasCode(error: unknown, statusCode: number): boolean {
  return error instanceof ApiError && error.statusCode === statusCode;
}

/** Rejects when the signal is aborted, so that a transport that ignores its signal does not block the caller. */
function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
