/**
 * When a pod is looked at again after its work has ended (PW-50 to PW-54).
 *
 *   now         it moved on; the next work starts by itself, and a look follows at once
 *   transient   the network was not ready: soon, and no matter which back-offs run
 *   backoff     it failed: after the usual period, or when the earliest back-off ends
 *   resync      all is well: after the resync interval
 *
 * The machine names the delay; only here do names become milliseconds. Chance is handed in, and
 * spreads the looks out so that pods that failed together do not all come back together.
 */
import { unreachable } from '../../lib/assert.ts';
import type { Outcome } from './event.ts';

export type Delay =
  | { readonly name: 'now' | 'transient' | 'resync' }
  | { readonly name: 'backoff'; readonly retryAfterMs: number | null };

export interface DelaySettings {
  readonly resyncMs: number;
  readonly backOffMs: number;
}

const TRANSIENT_MS = 1_000;
const JITTER_FACTOR = 0.5;

/** The delay that an outcome asks for, as long as the pod did not move on. */
export function delayAfter(outcome: Outcome): Delay {
  switch (outcome.kind) {
    case 'done':
      return { name: 'resync' };
    case 'terminal':
      return { name: 'now' };
    case 'networkNotReady':
      return { name: 'transient' };
    case 'cancelled':
      // Somebody's update waits already; this only makes sure that the pod is never left alone.
      return { name: 'backoff', retryAfterMs: null };
    case 'failed':
      return { name: 'backoff', retryAfterMs: outcome.retryAfterMs };
    default:
      return unreachable(outcome);
  }
}

/** Between the delay and half as much again. `chance` is at least 0 and below 1 (PW-54). */
export function delayMs(delay: Delay, settings: DelaySettings, chance: number): number {
  const ms = plainMs(delay, settings);
  return ms + chance * JITTER_FACTOR * ms;
}

function plainMs(delay: Delay, { resyncMs, backOffMs }: DelaySettings): number {
  switch (delay.name) {
    case 'now':
      return 0;
    case 'transient':
      return TRANSIENT_MS;
    case 'resync':
      return resyncMs;
    case 'backoff':
      return Math.min(Math.max(delay.retryAfterMs ?? backOffMs, 0), resyncMs);
    default:
      return unreachable(delay);
  }
}
