/**
 * Decides the graceful shutdown of a node: when which group of pods is killed, and when the inhibitor lock is
 * released.
 *
 *              announced, drained            groupEnded, the last        reported
 *        idle ───────────────────> ending ────────────────────> reporting ───────> done
 *          ▲                        │  ▲│ groupEnded                │                │
 *          │                        │  └┘                           │                │
 *          └──────── cancelled ─────┴───────────────────────────────┴────────────────┘
 *
 *   idle       pods are admitted
 *   ending     the pods of one group end, lowest priority first
 *   reporting  all pods have ended, or their time is over; the API gets their final statuses
 *   done       the inhibitor lock is released, and the machine shuts down
 *
 * Where podkeep differs from Kubernetes' kubelet: a cancellation takes effect at once, and groups that have
 * not begun keep their pods. Kubernetes' kubelet reacts to a cancellation only after all of its pods have
 * ended. And podkeep holds the lock until the final statuses are written; Kubernetes' kubelet releases it
 * before.
 *
 * `kubelet/node-shutdown/node-shutdown-manager.ts` kills the pods and holds the lock.
 *
 * Invariants:
 *   1. Groups end one after the other, in their order; each begins once.
 *   2. The lock is released once for each shutdown, after the last group, and taken again when a shutdown
 *      whose lock was released is cancelled.
 *   3. A drain is final: only an announced shutdown can be cancelled.
 *   4. Late events of a cancelled shutdown do not affect the next one: every shutdown has a number.
 */
import { unreachable } from '../../lib/assert.ts';
import type { ShutdownGroup } from './shutdown-groups.ts';

/** `drained`: this podkeep stops, and its node leaves. */
export type ShutdownCause = 'announced' | 'drained';

export type State =
  | { readonly phase: 'idle'; readonly number: number }
  | {
      readonly phase: 'ending';
      readonly number: number;
      readonly cause: ShutdownCause;
      readonly group: ShutdownGroup;
      /** Not begun yet. */
      readonly later: readonly ShutdownGroup[];
    }
  | { readonly phase: 'reporting'; readonly number: number; readonly cause: ShutdownCause }
  | { readonly phase: 'done'; readonly number: number; readonly cause: ShutdownCause };

export type Event =
  | {
      readonly type: 'begun';
      readonly cause: ShutdownCause;
      /** The active pods of the node, lowest priority first. */
      readonly groups: readonly ShutdownGroup[];
    }
  | { readonly type: 'cancelled' }
  /** All pods of the group have ended and their volumes are unmounted, or the group's time is over. */
  | { readonly type: 'groupEnded'; readonly number: number }
  /** The API has the final statuses, or did not take them in time. */
  | { readonly type: 'reported'; readonly number: number };

export type Effect =
  /** Records the start, and reports the node as not ready. */
  | { readonly type: 'begin'; readonly cause: ShutdownCause }
  | { readonly type: 'endGroup'; readonly number: number; readonly group: ShutdownGroup }
  | { readonly type: 'awaitStatuses'; readonly number: number }
  /** Records the end, and releases the lock. */
  | { readonly type: 'finish' }
  /** The node is ready again. */
  | { readonly type: 'resume'; readonly takesLock: boolean };

export interface Decision {
  readonly state: State;
  readonly effects: readonly Effect[];
}

export const initial: State = { phase: 'idle', number: 0 };

export function decide(state: State, event: Event): Decision {
  switch (event.type) {
    case 'begun':
      return begun(state, event.cause, event.groups);
    case 'cancelled':
      return cancelled(state);
    case 'groupEnded':
      if (state.phase !== 'ending' || state.number !== event.number) return unchanged(state);
      return nextGroup(state.number, state.cause, state.later);
    case 'reported': {
      if (state.phase !== 'reporting' || state.number !== event.number) return unchanged(state);
      const { number, cause } = state;
      return { state: { phase: 'done', number, cause }, effects: [{ type: 'finish' }] };
    }
    default:
      return unreachable(event);
  }
}

/** A shutdown under way continues; a drain makes it impossible to cancel. */
function begun(state: State, cause: ShutdownCause, groups: readonly ShutdownGroup[]): Decision {
  if (state.phase === 'ending' || state.phase === 'reporting') {
    return unchanged(cause === 'drained' ? { ...state, cause } : state);
  }
  const next = nextGroup(state.number + 1, cause, groups);
  return { state: next.state, effects: [{ type: 'begin', cause }, ...next.effects] };
}

function nextGroup(
  number: number,
  cause: ShutdownCause,
  [group, ...later]: readonly ShutdownGroup[],
): Decision {
  if (!group) {
    const state = { phase: 'reporting', number, cause } as const;
    return { state, effects: [{ type: 'awaitStatuses', number }] };
  }
  const state = { phase: 'ending', number, cause, group, later } as const;
  return { state, effects: [{ type: 'endGroup', number, group }] };
}

function cancelled(state: State): Decision {
  if (state.phase === 'idle' || state.cause === 'drained') return unchanged(state);
  const takesLock = state.phase === 'done';
  const { number } = state;
  return { state: { phase: 'idle', number }, effects: [{ type: 'resume', takesLock }] };
}

function unchanged(state: State): Decision {
  return { state, effects: [] };
}
