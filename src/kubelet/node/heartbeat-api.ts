/**
 * The API server, for requests that say "alive": they are not held back by any limit, and are given up
 * before they are of no use any more (KL-107).
 */
import type { JsonObject } from '../../lib/json.ts';
import { ApiError } from '../../ports/api-client.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KubeApi, KubeRequest } from '../../ports/kube-api.ts';
import { heartbeatTimedOut } from './waiting.ts';

export type Send = (request: KubeRequest) => Promise<JsonObject>;

export interface HeartbeatRoom {
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly leaseDurationSeconds: number;
  /** Nothing is sent any more. */
  readonly signal: AbortSignal;
}

const LIMIT_SECONDS_MAX = 10;

export function heartbeatApi(room: HeartbeatRoom): Send {
  const { api, clock, signal } = room;
  const seconds = Math.min(LIMIT_SECONDS_MAX, room.leaseDurationSeconds);
  return async (request) => {
    signal.throwIfAborted();
    const late = new AbortController();
    const overdue = heartbeatTimedOut({ request: `${request.method} ${request.path}`, seconds });
    const cancel = clock.after(seconds * 1000, () => late.abort(overdue));
    const either = AbortSignal.any([signal, late.signal]);
    try {
      return await Promise.race([api.send(request, either), rejection(either)]);
    } finally {
      cancel();
    }
  };
}

export function hasCode(error: unknown, statusCode: number): boolean {
  return error instanceof ApiError && error.statusCode === statusCode;
}

/** A transport that does not heed its signal is not waited for. */
function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
