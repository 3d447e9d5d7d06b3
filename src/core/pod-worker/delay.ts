/**
 * Decides when a pod is synced again after its work has ended (PW-50 to PW-54).
 *
 *   now         the pod moved to the next phase, whose work starts by itself; sync again immediately
 *   transient   the network was not ready: after one second, regardless of any back-off
 *   backoff     the work failed: after the back-off period, or when the earliest back-off ends
 *   resync      all is well: after the resync interval
 *
 * The state machine names the delay; this file converts the name to milliseconds. The caller passes the
 * random number for the jitter, which keeps pods that failed together from retrying together.
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

/** The delay after an outcome, if the pod stays in its phase. */
export function delayAfter(outcome: Outcome): Delay {
  switch (outcome.kind) {
    case 'done':
      return { name: 'resync' };
    case 'terminal':
      return { name: 'now' };
    case 'networkNotReady':
      return { name: 'transient' };
    case 'cancelled':
      // An update is pending already; this only makes sure that the pod is synced again.
      return { name: 'backoff', retryAfterMs: null };
    case 'failed':
      return { name: 'backoff', retryAfterMs: outcome.retryAfterMs };
    default:
      return unreachable(outcome);
  }
}

/** The delay plus a jitter of up to 50 %. `chance` is at least 0 and below 1 (PW-54). */
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
