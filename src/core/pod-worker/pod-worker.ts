/**
 * Pod worker: decides what happens next to one pod on this node.
 *
 * Every pod walks one road, and only ever forward (PW-4):
 *
 *     forgotten ──> waiting ──> syncing ──> terminating ──> terminated ──> finished ──> forgotten
 *
 *   forgotten     nobody knows this UID, or nobody remembers it
 *   waiting       a static pod, while another one has its full name
 *   syncing       its containers should run; keep comparing them with its spec
 *   terminating   no container may start any more; stop the ones that run
 *   terminated    nothing runs; give back what the pod held (volumes, cgroups)
 *   finished      nothing is left but the memory of its UID
 *
 * A pod may skip ahead (killed while it waits, found stopped after a restart of podkeep), but the
 * way back leads only through `forgotten`: then the UID stands for a new pod.
 *
 * This folder is pure: no clock, no I/O, no promises. It answers every event with the next state, a
 * list of orders, and the reason. `kubelet/pod-workers/` carries the orders out and reports back. That
 * is why each rule can be tested, replayed and simulated as plain data. Each phase has a file that
 * says what it does when it hears news of the pod, when its work settles, and when it is housekept.
 *
 * `nowMs` is a reading of a monotonic clock; readings are only compared with each other.
 *
 * Invariants, for any order of events:
 *   1. At most one piece of work is in flight for a pod, and the state knows which (PW-1).
 *   2. A pod never moves backward along the road, except to be forgotten (PW-4).
 *   3. Once it is terminating, syncPod is never ordered again; once it is terminated, neither is a
 *      stop (PW-81).
 *   4. Once a grace period is set, it only ever shrinks; but a kill that brings its own time counts
 *      more than a deletion that brings none (PW-45, its last two rows).
 *   5. Only a stop that ended well makes a pod terminated (PW-58).
 *   6. Every kill is completed once, at the latest when the pod is finished or forgotten (V-6).
 *   7. The newest update is acted on, as long as the pod is not finished (PW-5).
 */
import { assert, unreachable } from '../../lib/assert.ts';
import { hearFirst, hearWaiting, housekeepWaiting, takeTurn } from './arrival.ts';
import { stay } from './effect.ts';
import type { Decision } from './effect.ts';
import type { Event, News, Settled } from './event.ts';
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

function hear(state: State, news: News): Decision {
  switch (state.phase) {
    case 'forgotten':
      return hearFirst(news);
    case 'waiting':
      return hearWaiting(state, news);
    case 'syncing':
      return syncing.hear(state, news);
    case 'terminating':
      return terminating.hear(state, news);
    case 'terminated':
      return terminated.hear(state, news);
    case 'finished':
      return finished.hear(state, news);
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
