/**
 * Pod worker: decides what happens next to one pod on this node.
 *
 * Every pod goes through these phases, only ever forward (PW-4):
 *
 *     forgotten ──> waiting ──> syncing ──> terminating ──> terminated ──> finished ──> forgotten
 *
 *   forgotten     this UID is not known yet, or no longer
 *   waiting       a static pod, while another one has its full name
 *   syncing       its containers should run; keep comparing them with its spec
 *   terminating   no container may start any more; stop the running ones
 *   terminated    nothing runs; release the pod's resources (volumes, cgroups)
 *   finished      only its UID is remembered
 *
 * A pod may skip ahead (killed while it waits, found stopped after a restart of podkeep), but the
 * only way back is through `forgotten`: then the UID stands for a new pod.
 *
 * This folder is pure: no clock, no I/O, no promises. It answers every event with the next state, a
 * list of effects, and the reason. `kubelet/pod-workers/` carries the effects out and reports back, so
 * each rule can be tested, replayed and simulated as plain data. Each phase has a file that decides
 * what to do on an update of the pod, when its work settles, and on housekeeping.
 *
 * `nowMs` is a reading of a monotonic clock; readings are only compared with each other.
 *
 * Invariants, for any order of events:
 *   1. At most one piece of work is in flight for a pod, and the state knows which (PW-1).
 *   2. A pod never goes back to an earlier phase, except to be forgotten (PW-4).
 *   3. Once it is terminating, syncPod is never ordered again; once it is terminated, neither is a
 *      stop (PW-81).
 *   4. Once a grace period is set, it only ever shrinks; but the grace period of a kill takes precedence
 *      over a deletion that has none (PW-45, its last two rows).
 *   5. Only a stop that succeeded makes a pod terminated (PW-58).
 *   6. Every kill is completed once, at the latest when the pod is finished or forgotten (V-6).
 *   7. The newest update is acted on, as long as the pod is not finished (PW-5).
 */
import { assert, unreachable } from '../../lib/assert.ts';
import { hearFirst, hearWaiting, housekeepWaiting, takeTurn } from './arrival.ts';
import { stay } from './effect.ts';
import type { Decision } from './effect.ts';
import type { Event, UpdateEvent, Settled } from './event.ts';
import * as finished from './finished.ts';
import type { State } from './state.ts';
import * as syncing from './syncing.ts';
import * as terminated from './terminated.ts';
import * as terminating from './terminating.ts';

export type { State } from './state.ts';
export type { Event } from './event.ts';
export type { Effect } from './effect.ts';

export const initial: State = finished.FORGOTTEN;

export function decide(state: State, event: Event, nowMs: number): Decision {
  switch (event.type) {
    case 'updated':
    case 'killed':
    case 'killedInRuntime':
      return hear(state, event);
    case 'settled':
      return settle(state, event);
    case 'admitted':
    case 'refused':
      assert(state.phase === 'waiting', `${event.type} for a turn, but ${state.phase}`);
      return takeTurn(state, event.type === 'admitted');
    case 'housekept':
      return housekeep(state, event.orphan, nowMs);
    default:
      return unreachable(event);
  }
}

function hear(state: State, event: UpdateEvent): Decision {
  switch (state.phase) {
    case 'forgotten':
      return hearFirst(event);
    case 'waiting':
      return hearWaiting(state, event);
    case 'syncing':
      return syncing.hear(state, event);
    case 'terminating':
      return terminating.hear(state, event);
    case 'terminated':
      return terminated.hear(state, event);
    case 'finished':
      return finished.hear(state, event);
    default:
      return unreachable(state);
  }
}

function settle(state: State, { work, outcome }: Settled): Decision {
  const inFlight = 'inFlight' in state ? state.inFlight : null;
  assert(inFlight?.work === work, `a ${work} settled while ${inFlight?.work ?? 'nothing'} ran`);
  switch (state.phase) {
    case 'syncing':
      return syncing.settle(state, outcome);
    case 'terminating':
      return terminating.settle(state, outcome);
    case 'terminated':
      return terminated.settle(state, outcome);
    case 'forgotten':
    case 'waiting':
    case 'finished':
      return stay(state);
    default:
      return unreachable(state);
  }
}

function housekeep(state: State, orphan: boolean, nowMs: number): Decision {
  switch (state.phase) {
    case 'forgotten':
      return stay(state);
    case 'waiting':
      return housekeepWaiting(state, orphan);
    case 'syncing':
      return syncing.housekeep(state, orphan);
    case 'terminating':
      return terminating.housekeep(state, orphan, nowMs);
    case 'terminated':
      return terminated.housekeep(state, orphan, nowMs);
    case 'finished':
      return finished.housekeep(state, orphan);
    default:
      return unreachable(state);
  }
}
