/**
 * Decides about a finished pod: nothing runs, all resources are released, and the worker remembers only its
 * UID, so that a late update cannot start it again.
 *
 * The worker forgets the pod when no pod source has it any more, or when the UID was created again and the
 * new pod waits for the old one to go (PW-65, PW-67).
 */
import { become, completed, measured, stay } from './effect.ts';
import type { Decision } from './effect.ts';
import { isCreate } from './event.ts';
import type { KillId, UpdateEvent } from './event.ts';
import type { Fate, Finished, Forgotten } from './state.ts';
import { restartLater } from './termination.ts';
import type { Update } from './update.ts';

export const FORGOTTEN: Forgotten = { phase: 'forgotten' };

export function hear(state: Finished, event: UpdateEvent): Decision {
  if (isCreate(event)) return restartLater(state);
  // Nothing is left to kill, and nothing else would ever complete this kill (V-2).
  return stay(state, ...completed(event.type === 'updated' ? [] : [event.kill.id]));
}

export function housekeep(state: Finished, orphan: boolean): Decision {
  if (orphan) return become(FORGOTTEN, 'finished, and no source of pods knows it');
  if (state.fate.restartRequested) return become(FORGOTTEN, 'finished, and created again');
  return stay(state);
}

/** A static pod that has to end before its turn: there is nothing to stop (PW-38, V-6). */
export function finishUnstarted(
  update: Update,
  fate: Fate,
  how: 'neverStarted' | 'foundTerminated',
  kills: readonly KillId[],
): Decision {
  return become(
    { phase: 'finished', fate, how, static: false },
    'a static pod that had to end before its turn came',
    ...measured({ operation: 'terminated', startedAtMs: update.startedAtMs }),
    ...completed(kills),
    { type: 'leaveLine' },
  );
}
