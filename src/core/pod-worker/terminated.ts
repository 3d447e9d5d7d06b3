/**
 * Decides about a terminated pod: its containers have stopped for good, and the worker releases its
 * resources. It retries until that succeeds; then the pod is finished.
 */
import { assert } from '../../lib/assert.ts';
import { withFields } from '../../lib/share.ts';
import { delayAfter } from './delay.ts';
import { after, become, completed, measured, stay, turnEnded } from './effect.ts';
import type { Decision } from './effect.ts';
import { describeEnd, isCreate, requestFrom } from './event.ts';
import type { UpdateEvent, Outcome } from './event.ts';
import { visitOrphan } from './replay.ts';
import type { Fate, Terminated } from './state.ts';
import { explainMarks, markedBy, restartLater } from './termination.ts';
import { isStaticSubject, merge, replayOf, supersede } from './update.ts';
import type { Configured, Update } from './update.ts';

/** Starts to release the pod's resources. */
export function enter(
  fate: Fate,
  subject: Configured,
  update: Update<Configured>,
  why: string,
): Decision {
  return release(
    { phase: 'terminated', subject, inFlight: null, fate, replays: null },
    update,
    why,
  );
}

export function hear(state: Terminated, event: UpdateEvent): Decision {
  // The containers have stopped, so the caller of a kill has nothing to wait for (PW-17).
  const answers = completed(event.type === 'updated' ? [] : [event.kill.id]);
  // This comes from an old listing of the runtime, and there is nothing to act on.
  if (event.type === 'killedInRuntime') return stay(state, ...answers);
  if (isCreate(event)) return restartLater(state);
  const request = requestFrom(event, state.subject);
  const { update } = request;
  const fate = markedBy(request, state.fate);
  const next = deliver(withFields(state, { fate }), update, `received ${update.type}`);
  return after(answers, { ...next, why: next.why ?? explainMarks(state.fate, fate) });
}

export function settle(state: Terminated, outcome: Outcome): Decision {
  const { inFlight, subject, fate } = state;
  assert(inFlight !== null, 'a release settled that was not in flight');
  const { startedAtMs, pending } = inFlight;
  if (outcome.kind === 'done' || outcome.kind === 'terminal') {
    return become(
      { phase: 'finished', fate, how: 'released', static: isStaticSubject(subject) },
      'all that the pod held was given back',
      ...measured({ operation: 'terminated', startedAtMs }),
      { type: 'leaveLine' },
    );
  }
  const idle: Terminated = { ...state, inFlight: null };
  const effects = turnEnded(inFlight, delayAfter(outcome));
  const why = describeEnd('release', outcome);
  if (pending === null) return become(idle, why, ...effects);
  return after(effects, release(idle, pending, `${why}; an update waited`));
}

/** An orphan gets no updates, so housekeeping repeats the last one (PW-68). */
export function housekeep(state: Terminated, orphan: boolean, nowMs: number): Decision {
  if (!orphan) return stay(withFields(state, { replays: null }));
  const { state: visited, repeats } = visitOrphan(state, nowMs);
  if (!repeats) return stay(visited);
  return deliver(visited, replayOf(visited.subject), 'an orphan is tried again');
}

/** Acts on the update now, or makes it pending behind the work in flight. */
function deliver(state: Terminated, update: Update<Configured>, why: string): Decision {
  const { inFlight } = state;
  if (inFlight === null) return release(state, update, why);
  const pending = supersede(inFlight.pending, update);
  return stay({ ...state, inFlight: { ...inFlight, pending } });
}

function release(state: Terminated, update: Update<Configured>, why: string): Decision {
  const { type: operation, subject, startedAtMs } = update;
  const inFlight = { work: 'release', operation, startedAtMs, pending: null } as const;
  return become({ ...state, subject: merge(state.subject, subject), inFlight }, why, {
    type: 'releasePod',
    pod: subject.pod,
  });
}
