/**
 * The effects of a pod worker. The driver carries them out and reports back with an event.
 *
 * At most one of the four kinds of work (syncPod, stopPod, stopRuntimePod, releasePod) is in flight
 * for a pod; each ends with one `settled`. `admitted` or `refused` answers `askForTurn`.
 */
import type { Pod } from '../../api/pod.ts';
import type { Delay } from './delay.ts';
import type { KillId } from './event.ts';
import type { State } from './state.ts';
import type { RunningPod, UpdateType } from './update.ts';

export type Effect =
  | {
      readonly type: 'syncPod';
      readonly updateType: UpdateType;
      readonly pod: Pod;
      readonly mirrorPod: Pod | null;
    }
  | {
      readonly type: 'stopPod';
      readonly pod: Pod;
      readonly graceSeconds: number | null;
      readonly statusFrom: KillId | null;
    }
  | { readonly type: 'stopRuntimePod'; readonly runningPod: RunningPod }
  | { readonly type: 'releasePod'; readonly pod: Pod }
  | { readonly type: 'cancelInFlight' }
  | { readonly type: 'wakeAfter'; readonly delay: Delay }
  | { readonly type: 'completeKills'; readonly kills: readonly KillId[] }
  | { readonly type: 'joinLine' }
  | { readonly type: 'askForTurn' }
  | { readonly type: 'leaveLine' }
  | { readonly type: 'countStart'; readonly containers: number }
  | {
      readonly type: 'measureTurn';
      readonly operation: UpdateType | 'terminated';
      readonly startedAtMs: number;
    };

export interface Decision<To extends State = State> {
  readonly state: To;
  readonly effects: readonly Effect[];
  /** The reason, for people. Null: nothing was decided. */
  readonly why: string | null;
}

export function become<To extends State>(
  state: To,
  why: string,
  ...effects: readonly Effect[]
): Decision<To> {
  return { state, effects, why };
}

/** No decision, so no reason. */
export function stay<To extends State>(state: To, ...effects: readonly Effect[]): Decision<To> {
  return { state, effects, why: null };
}

/** The same decision, with effects to carry out before its own. */
export function after(effects: readonly Effect[], decision: Decision): Decision {
  return effects.length === 0
    ? decision
    : { ...decision, effects: [...effects, ...decision.effects] };
}

/** Completes the kills: their callers have nothing left to wait for. */
export function completed(kills: readonly KillId[]): readonly Effect[] {
  return kills.length === 0 ? [] : [{ type: 'completeKills', kills }];
}

/** The effects of every turn after which the pod stays in its phase (PW-44, PW-50 to PW-53). */
export function turnEnded(turn: TurnTimes, delay: Delay): readonly Effect[] {
  return [...measured(turn), { type: 'wakeAfter', delay }];
}

/** How long the pod waited for the end of this turn, if the update has a start time (PW-44). */
export function measured({ operation, startedAtMs }: TurnTimes): readonly Effect[] {
  return startedAtMs === null ? [] : [{ type: 'measureTurn', operation, startedAtMs }];
}

interface TurnTimes {
  readonly operation: UpdateType | 'terminated';
  readonly startedAtMs: number | null;
}
