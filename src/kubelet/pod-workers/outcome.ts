/**
 * Derives the outcome of a sync handler from the error that it threw.
 *
 * The relevant error may be nested: a sync starts several containers and throws all their errors. So the
 * whole tree of causes and aggregates is searched, by type and code and never by text. NETWORK_NOT_READY
 * takes precedence over every back-off (PW-52); among back-offs, the earliest counts (PW-53).
 */
import type { Outcome } from '../../core/pod-worker/event.ts';
import { PodkeepError } from '../../lib/errors.ts';
import { BackOffError, NETWORK_NOT_READY } from '../../ports/pod/sync-failure.ts';

/** `nowMs` is wall time, as the back-offs are. */
export function outcomeOf(error: unknown, signal: AbortSignal, nowMs: number): Outcome {
  const errors = [...tree(error)];
  if (errors.some((each) => isAbort(each, signal))) return { kind: 'cancelled' };
  const reason = messageOf(error);
  if (errors.some(isNetworkNotReady)) return { kind: 'networkNotReady', reason };
  const ends = errors.flatMap((each) => (each instanceof BackOffError ? [each.expiresAtMs] : []));
  const retryAfterMs = ends.length === 0 ? null : Math.min(...ends) - nowMs;
  return { kind: 'failed', reason, retryAfterMs };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function isAbort(error: unknown, signal: AbortSignal): boolean {
  if (signal.aborted && error === signal.reason) return true;
  return error instanceof Error && error.name === 'AbortError';
}

function isNetworkNotReady(error: unknown): boolean {
  return error instanceof PodkeepError && error.code === NETWORK_NOT_READY;
}

/** The error, its causes, and the errors it aggregates. A cyclic tree is walked once. */
function* tree(root: unknown): Generator {
  const seen = new Set<unknown>();
  const open = [root];
  while (open.length > 0) {
    const error = open.pop();
    if (error === undefined || seen.has(error)) continue;
    seen.add(error);
    yield error;
    if (error instanceof AggregateError) open.push(...error.errors);
    if (error instanceof Error) open.push(error.cause);
  }
}
