/**
 * Decides about a terminating pod: no container may start any more, and the worker stops the running ones.
 *
 *     last sync still runs ──settled──> stop ──done──> terminated
 *                                       ↑  │           (without a spec: forgotten, PW-59)
 *                                       └──┘ failed, or cancelled because less time is left
 *
 * No stop begins before the last sync has settled, because that sync could be about to start a container.
 * Only a successful stop makes the pod terminated, whatever the outcome of the sync before it.
 *
 * A shorter grace period cancels the stop in flight. As soon as that stop has settled, a new one begins with
 * the shorter grace period, so that the runtime applies it, too (F-8).
 */
import { assert } from '../../lib/assert.ts';
import { withFields } from '../../lib/share.ts';
import { delayAfter } from './delay.ts';
import { after, become, completed, measured, stay, turnEnded } from './effect.ts';
import type { Decision, Effect } from './effect.ts';
import { describeEnd, isCreate, requestFrom } from './event.ts';
import type { UpdateEvent, Outcome, Request } from './event.ts';
import { FORGOTTEN } from './finished.ts';
import { visitOrphan } from './replay.ts';
import type { Syncing, Terminating } from './state.ts';
import * as terminated from './terminated.ts';
import {
  explainCause,
  explainMarks,
  fateFrom,
  graceFor,
  markedBy,
  restartLater,
} from './termination.ts';
import type { Cause } from './termination.ts';
import { merge, replayOf, supersede } from './update.ts';
import type { Subject, Update } from './update.ts';

/** The state of a pod when its end was decided. */
export interface Departure {
  readonly subject: Subject;
  readonly inFlight: Syncing['inFlight'];
}

/** The pod has to end. A sync in flight is cancelled first (PW-16, PW-18, PW-23). */
export function enter(
  { subject, inFlight }: Departure,
  cause: Cause,
  { update, kill }: Pick<Request, 'update' | 'kill'>,
): Decision {
  const idle: Terminating = {
    phase: 'terminating',
    subject,
    inFlight: null,
    // A pod that ended by itself has no grace period: no request set one (PW-46).
    graceSeconds: cause === 'completed' ? null : graceFor(update.subject, kill, null).graceSeconds,
    fate: fateFrom(cause),
    kills: kill === null ? [] : [kill.id],
    statusFrom: kill?.overridesStatus === true ? kill.id : null,
    replays: null,
  };
  const why = explainCause(cause);
  if (inFlight === null) return stop(idle, update, why);
  const lastSync = { ...inFlight, pending: supersede(inFlight.pending, update) };
  return become({ ...idle, inFlight: lastSync }, why, { type: 'cancelInFlight' });
}

export function hear(state: Terminating, event: UpdateEvent): Decision {
  if (isCreate(event)) return restartLater(state);
  const request = requestFrom(event, newestSubject(state));
  const { update, kill } = request;
  const { graceSeconds, shortened } = graceFor(update.subject, kill, state.graceSeconds);
  const hurried: Terminating = {
    ...state,
    graceSeconds,
    fate: markedBy(request, state.fate),
    kills: kill === null ? state.kills : [...state.kills, kill.id],
    statusFrom: kill?.overridesStatus === true ? kill.id : state.statusFrom,
  };
  const { state: next, effects, why } = deliver(hurried, update, `received ${update.type}`);
  if (shortened && state.inFlight !== null) {
    return become(next, `only ${graceSeconds} s are left to stop`, { type: 'cancelInFlight' });
  }
  return { state: next, effects, why: why ?? explainMarks(state.fate, hurried.fate) };
}

export function settle(state: Terminating, outcome: Outcome): Decision {
  const { inFlight, kills } = state;
  assert(inFlight !== null, 'work settled that was not in flight');
  const { work, pending } = inFlight;
  const idle: Terminating = { ...state, inFlight: null };
  const isOver = outcome.kind === 'done' || outcome.kind === 'terminal';
  if (work === 'stop' && isOver) {
    return after([...measured(inFlight), ...completed(kills)], leave(idle, pending));
  }
  const effects = turnEnded(inFlight, delayAfter(outcome));
  const why = describeEnd(work, outcome);
  if (pending === null) return become(idle, why, ...effects);
  return after(effects, stop(idle, pending, `${why}; an update waited`));
}

/** An orphan gets no updates, so housekeeping repeats the last one (PW-68). */
export function housekeep(state: Terminating, orphan: boolean, nowMs: number): Decision {
  if (!orphan) return stay(withFields(state, { replays: null }));
  const { state: visited, repeats } = visitOrphan(state, nowMs);
  if (!repeats) return stay(visited);
  return deliver(visited, replayOf(visited.subject), 'an orphan is tried again');
}

/** The containers have stopped. */
function leave({ subject, fate }: Terminating, pending: Update | null): Decision {
  if (subject.kind === 'runtimeOnly') {
    // No spec, so nothing to release and no status to write: the UID is free again (PW-59).
    return become(FORGOTTEN, 'the containers have stopped, and there was no spec');
  }
  const update = pending ?? replayOf(subject);
  const { subject: newest } = update;
  assert(newest.kind === 'configured', 'a pod lost the spec that its worker knew');
  return after(
    [{ type: 'wakeAfter', delay: { name: 'now' } }],
    terminated.enter(fate, subject, { ...update, subject: newest }, 'the containers have stopped'),
  );
}

/** Acts on the update now, or makes it pending behind the work in flight. */
function deliver(state: Terminating, update: Update, why: string): Decision {
  const { inFlight } = state;
  if (inFlight === null) return stop(state, update, why);
  const pending = supersede(inFlight.pending, update);
  return stay({ ...state, inFlight: { ...inFlight, pending } });
}

function stop(state: Terminating, update: Update, why: string): Decision {
  const { type: operation, startedAtMs } = update;
  const { graceSeconds, statusFrom } = state;
  const subject = merge(state.subject, update.subject);
  const inFlight = { work: 'stop', operation, startedAtMs, pending: null } as const;
  const effect: Effect =
    subject.kind === 'configured'
      ? { type: 'stopPod', pod: subject.pod, graceSeconds, statusFrom }
      : { type: 'stopRuntimePod', runningPod: subject.runningPod };
  return become({ ...state, subject, inFlight }, why, effect);
}

/** The spec of a pending update is newer than that of the work in flight. */
function newestSubject({ inFlight, subject }: Terminating): Subject {
  const pending = inFlight?.pending?.subject;
  return pending?.kind === 'configured' ? pending : subject;
}
