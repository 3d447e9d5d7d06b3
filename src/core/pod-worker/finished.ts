/**
 * A finished pod: nothing runs, nothing is held, and its UID is only remembered so that a late
 * update cannot start it again.
 *
 * It is forgotten when no source of pods knows it any more, or when the UID was created again and
 * the new pod waits for the old one to go (PW-65, PW-67).
 */
import { become, completed, measured, stay } from './effect.ts';
import type { Decision } from './effect.ts';
import { isCreate } from './event.ts';
import type { KillId, News } from './event.ts';
import type { Fate, Finished, Forgotten } from './state.ts';
import { restartLater } from './termination.ts';
import type { Update } from './update.ts';

export const FORGOTTEN: Forgotten = { phase: 'forgotten' };

export function hear(state: Finished, news: News): Decision {
  if (isCreate(news)) return restartLater(state);
  // Nothing is left to kill, and nobody else would ever tell the one who asks (V-2).
  return stay(state, ...completed(news.type === 'updated' ? [] : [news.kill.id]));
}

export function housekeep(state: Finished, orphan: boolean): Decision {
  if (orphan) return become(FORGOTTEN, 'finished, and no source of pods knows it');
  if (state.fate.restartRequested) return become(FORGOTTEN, 'finished, and created again');
  return stay(state);
}

/** A static pod that has to end before its turn came: there is nothing to stop (PW-38, V-6). */
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
