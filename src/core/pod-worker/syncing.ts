/**
 * Decides about a syncing pod: its containers should run, and the worker keeps comparing them with the spec.
 *
 * While a sync runs, only one update waits: the newest, which replaces older ones (PW-5). A kill is never
 * replaced, because it changes the phase.
 */
import { assert } from '../../lib/assert.ts';
import { delayAfter } from './delay.ts';
import { after, become, stay, turnEnded } from './effect.ts';
import type { Decision } from './effect.ts';
import { describeEnd, requestFrom } from './event.ts';
import type { UpdateEvent, Outcome } from './event.ts';
import type { Syncing } from './state.ts';
import * as terminating from './terminating.ts';
import { causeOf } from './termination.ts';
import { merge, replayOf, supersede } from './update.ts';
import type { Configured, Update } from './update.ts';

export function enter(update: Update<Configured>, why: string): Decision {
  return sync({ phase: 'syncing', subject: update.subject, inFlight: null }, update, why);
}

export function hear(state: Syncing, event: UpdateEvent): Decision {
  const { inFlight } = state;
  const request = requestFrom(event, inFlight?.pending?.subject ?? state.subject);
  const { update } = request;
  const cause = causeOf(request);
  if (cause !== null) return terminating.enter(state, cause, request);
  if (inFlight === null) return sync(state, update, `received ${update.type}`);
  const pending = supersede(inFlight.pending, update);
  return stay({ ...state, inFlight: { ...inFlight, pending } });
}

export function settle(state: Syncing, outcome: Outcome): Decision {
  const { inFlight, subject } = state;
  assert(inFlight !== null, 'a sync settled that was not in flight');
  const { pending } = inFlight;
  const idle: Syncing = { ...state, inFlight: null };
  const effects = turnEnded(inFlight, delayAfter(outcome));
  if (outcome.kind === 'terminal') {
    const update = pending ?? replayOf(subject);
    return after(effects, terminating.enter(idle, 'completed', { update, kill: null }));
  }
  const why = describeEnd('sync', outcome);
  if (pending === null) return become(idle, why, ...effects);
  return after(effects, sync(idle, pending, `${why}; an update waited`));
}

/** A pod that no source has any more must end, and only housekeeping notices (PW-67, V-4). */
export function housekeep(state: Syncing, orphan: boolean): Decision {
  if (!orphan) return stay(state);
  const update = state.inFlight?.pending ?? replayOf(state.subject);
  return terminating.enter(state, 'orphaned', { update, kill: null });
}

function sync(state: Syncing, update: Update<Configured>, why: string): Decision {
  const { type, subject, startedAtMs } = update;
  const { pod, mirrorPod } = subject;
  const inFlight = { work: 'sync', operation: type, startedAtMs, pending: null } as const;
  return become({ ...state, subject: merge(state.subject, subject), inFlight }, why, {
    type: 'syncPod',
    updateType: type,
    pod,
    mirrorPod,
  });
}
