/**
 * Decides the state of one alert, which belongs to one rule and one subject (a pod, a container or the node).
 *
 *     inactive ──true──> pending ──true for `for`──> firing ──false──> resolved ──15 min──> inactive
 *                           └──false──> inactive       ▲  │               │
 *                                                      │  └─ keepFiringFor└──true──> pending
 *                                                      └──true again within keepFiringFor
 *
 * 1. An alert fires only after its condition held at every evaluation during `for`. With `for` of zero it
 *    fires with the first one.
 * 2. A firing alert resolves when its condition was false for `keepFiringFor`, or when its subject is gone.
 * 3. `fired` and `resolved` alternate, beginning with `fired`.
 * 4. A `woke` event that comes too early or too late does no harm: times are compared, not counted.
 *
 * Durations are measured with monotonic time; wall times are only carried along for people to read.
 */
import { unreachable } from '../../lib/assert.ts';

export interface AlertMoment {
  /** Monotonic. */
  readonly ms: number;
  /** Wall time. */
  readonly wallMs: number;
}

export interface Settings {
  readonly forMs: number;
  readonly keepFiringForMs: number;
}

export type State =
  | { readonly phase: 'inactive' }
  | { readonly phase: 'pending'; readonly active: AlertMoment }
  | {
      readonly phase: 'firing';
      readonly active: AlertMoment;
      readonly fired: AlertMoment;
      /** Since when the condition is false; null: it is true. */
      readonly falseSince: AlertMoment | null;
    }
  | {
      readonly phase: 'resolved';
      readonly active: AlertMoment;
      readonly fired: AlertMoment;
      readonly resolved: AlertMoment;
    };

export type Event =
  | { readonly type: 'evaluated'; readonly isTrue: boolean; readonly at: AlertMoment }
  | { readonly type: 'woke'; readonly at: AlertMoment }
  | { readonly type: 'subjectGone'; readonly at: AlertMoment };

export type Effect =
  | { readonly type: 'fired' }
  | { readonly type: 'resolved' }
  /** Monotonic time. Replaces an earlier `wakeAt`; an alert without `wakeAt` needs no timer. */
  | { readonly type: 'wakeAt'; readonly ms: number };

export interface Decision {
  readonly state: State;
  readonly effects: readonly Effect[];
}

/** How long a resolved alert is shown, as Prometheus does it. */
export const RESOLVED_SHOWN_MS = 15 * 60_000;

const INACTIVE: State = { phase: 'inactive' };

export function initial(): State {
  return INACTIVE;
}

export function decide(state: State, event: Event, settings: Settings): Decision {
  switch (event.type) {
    case 'evaluated':
      return event.isTrue
        ? becomeTrue(state, event.at, settings)
        : becomeFalse(state, event.at, settings);
    case 'woke':
      return wake(state, event.at, settings);
    case 'subjectGone':
      return state.phase === 'firing'
        ? resolve(state, event.at)
        : wake(dropPending(state), event.at, settings);
    default:
      return unreachable(event);
  }
}

function becomeTrue(state: State, at: AlertMoment, settings: Settings): Decision {
  switch (state.phase) {
    case 'inactive':
    case 'resolved':
      if (settings.forMs === 0) return fire(at, at);
      return waiting({ phase: 'pending', active: at }, at.ms + settings.forMs);
    case 'pending':
      return wake(state, at, settings);
    case 'firing':
      return still(state.falseSince === null ? state : { ...state, falseSince: null });
    default:
      return unreachable(state);
  }
}

function becomeFalse(state: State, at: AlertMoment, settings: Settings): Decision {
  if (state.phase !== 'firing') return wake(dropPending(state), at, settings);
  if (settings.keepFiringForMs === 0) return resolve(state, at);
  return wake(state.falseSince === null ? { ...state, falseSince: at } : state, at, settings);
}

/** Compares the times of the state with now. */
function wake(state: State, at: AlertMoment, { forMs, keepFiringForMs }: Settings): Decision {
  switch (state.phase) {
    case 'inactive':
      return still(state);
    case 'pending': {
      const dueMs = state.active.ms + forMs;
      return at.ms >= dueMs ? fire(state.active, at) : waiting(state, dueMs);
    }
    case 'firing': {
      if (state.falseSince === null) return still(state);
      const dueMs = state.falseSince.ms + keepFiringForMs;
      return at.ms >= dueMs ? resolve(state, at) : waiting(state, dueMs);
    }
    case 'resolved': {
      const dueMs = state.resolved.ms + RESOLVED_SHOWN_MS;
      return at.ms >= dueMs ? still(INACTIVE) : waiting(state, dueMs);
    }
    default:
      return unreachable(state);
  }
}

function dropPending(state: State): State {
  return state.phase === 'pending' ? INACTIVE : state;
}

function fire(active: AlertMoment, fired: AlertMoment): Decision {
  return still({ phase: 'firing', active, fired, falseSince: null }, [{ type: 'fired' }]);
}

function resolve({ active, fired }: State & { phase: 'firing' }, at: AlertMoment): Decision {
  const effects: readonly Effect[] = [
    { type: 'resolved' },
    { type: 'wakeAt', ms: at.ms + RESOLVED_SHOWN_MS },
  ];
  return still({ phase: 'resolved', active, fired, resolved: at }, effects);
}

function waiting(state: State, ms: number): Decision {
  return still(state, [{ type: 'wakeAt', ms }]);
}

function still(state: State, effects: readonly Effect[] = []): Decision {
  return { state, effects };
}
