/**
 * Decides how often housekeeping repeats the work of an orphan (PW-68, F-12).
 *
 * A pod that no source has gets no updates, so housekeeping repeats its last one. Housekeeping runs every two
 * seconds; on a read-only disk, a stop that fails each time would be tried 43,200 times a day for each pod.
 * So there is an exponential back-off: each wait is as long as the time between the first and the last
 * repetition (0, 2, 4, 8, 16 … seconds), up to five minutes.
 *
 *     work    ×   ×   ×       ×               ×                               ×
 *     seconds 0   2   4       8               16                              32
 */
import { withFields } from '../../lib/share.ts';
import type { Replays, Terminated, Terminating } from './state.ts';

const WAIT_MS_MAX = 300_000;

/** The state of an orphan after a housekeeping visit, and whether its last update is repeated now. */
export function visitOrphan<Phase extends Terminating | Terminated>(
  state: Phase,
  nowMs: number,
): { readonly state: Phase; readonly repeats: boolean } {
  const fate = withFields(state.fate, { deleted: true });
  const deleted: Phase = fate === state.fate ? state : { ...state, fate };
  // A pending update is at least as new as the one that housekeeping could repeat (PW-61).
  const hasPending = state.inFlight !== null && state.inFlight.pending !== null;
  const replays = hasPending ? null : countReplay(state.replays, nowMs);
  if (replays === null) return { state: deleted, repeats: false };
  return { state: { ...deleted, replays }, repeats: true };
}

/** The count with this repetition in it. Null: it is too early for one. */
function countReplay(replays: Replays | null, nowMs: number): Replays | null {
  if (replays === null) return { firstAtMs: nowMs, lastAtMs: nowMs };
  const { firstAtMs, lastAtMs } = replays;
  const waitMs = Math.min(lastAtMs - firstAtMs, WAIT_MS_MAX);
  return nowMs - lastAtMs < waitMs ? null : { firstAtMs, lastAtMs: nowMs };
}
