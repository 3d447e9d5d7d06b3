/**
 * How often housekeeping may repeat the work of an orphan (PW-68, F-12).
 *
 * Nobody sends updates for a pod that no source knows, so housekeeping repeats its last one. It
 * comes by every two seconds; if the disk is read-only, a stop that fails each time would be tried
 * 43,200 times a day for each pod. So the wait before a repetition is as long as the repetitions
 * have gone on: at once, then after 2, 4, 8, 16 … seconds, and never more than five minutes.
 *
 *     work    ×   ×   ×       ×               ×                               ×
 *     seconds 0   2   4       8               16                              32
 */
import { withFields } from '../../lib/share.ts';
import type { Replays, Terminated, Terminating } from './state.ts';

const WAIT_MS_MAX = 300_000;

/** The state of an orphan that housekeeping came by, and whether its last update is repeated now. */
export function visitOrphan<Phase extends Terminating | Terminated>(
  state: Phase,
  nowMs: number,
): { readonly state: Phase; readonly repeats: boolean } {
  const fate = withFields(state.fate, { deleted: true });
  const deleted: Phase = fate === state.fate ? state : { ...state, fate };
  // What waits already is at least as new as what housekeeping could repeat (PW-61).
  const hasPending = state.inFlight !== null && state.inFlight.pending !== null;
  const replays = hasPending ? null : countReplay(state.replays, nowMs);
  if (replays === null) return { state: deleted, repeats: false };
  return { state: { ...deleted, replays }, repeats: true };
}

/** The count with this repetition in it, or null if it is too early for one. */
function countReplay(replays: Replays | null, nowMs: number): Replays | null {
  if (replays === null) return { firstAtMs: nowMs, lastAtMs: nowMs };
  const { firstAtMs, lastAtMs } = replays;
  const waitMs = Math.min(lastAtMs - firstAtMs, WAIT_MS_MAX);
  return nowMs - lastAtMs < waitMs ? null : { firstAtMs, lastAtMs: nowMs };
}
