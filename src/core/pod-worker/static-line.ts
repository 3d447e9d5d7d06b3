/**
 * The line of static pods that share one full name: at most one of them runs (PW-80).
 *
 *     joined ──> [ u2, u3, u4 ]   one place for each pod, in the order in which they came
 *     asked  ──> the name is free: the first who still waits holds it now; else the pod is refused
 *     left   ──> the pod is finished, or gone: the next one in line gets the name at once (V-7)
 *
 * A manifest that changes makes a pod with a new UID and the same name. The old one keeps the name
 * until everything it held was given back, not only until its containers have stopped (PW-41).
 * Other pods are of no concern here: they never block and are never blocked.
 *
 * A pod that left keeps its place, and is passed over. If the same UID comes back before the line
 * got that far, the old place is good again (PW-69). Once nobody has the name and nobody waits for
 * it, the line is the initial one, of which nothing has to be remembered.
 *
 * This machine only knows who joined and who left. What the pods do is known to pod-worker.ts.
 */
import { unreachable } from '../../lib/assert.ts';
import { mapShared, withFields } from '../../lib/share.ts';

export interface State {
  /** The UID that has the name. */
  readonly holder: string | null;
  readonly places: readonly Place[];
}

interface Place {
  readonly uid: string;
  readonly waits: boolean;
}

export interface Event {
  readonly type: 'joined' | 'asked' | 'left';
  readonly uid: string;
}

/** The answer to a pod: to the one that asked, or to the next one when the name became free. */
export interface Effect {
  readonly type: 'admit' | 'refuse';
  readonly uid: string;
}

export interface Decision {
  readonly state: State;
  readonly effects: readonly Effect[];
}

export const initial: State = { holder: null, places: [] };

export function decide(state: State, { type, uid }: Event): Decision {
  switch (type) {
    case 'joined':
      return { state: join(state, uid), effects: [] };
    case 'asked':
      return state.holder === null ? callNext(state) : refuse(state, uid);
    case 'left':
      return callNext(leave(state, uid));
    default:
      return unreachable(type);
  }
}

function join(state: State, uid: string): State {
  const places = mark(state.places, uid, true);
  return { ...state, places: [...places, { uid, waits: true }] };
}

function refuse(state: State, uid: string): Decision {
  return { state, effects: [{ type: 'refuse', uid }] };
}

function leave(state: State, uid: string): State {
  const holder = state.holder === uid ? null : state.holder;
  return withFields(state, { holder, places: mark(state.places, uid, false) });
}

function mark(places: readonly Place[], uid: string, waits: boolean): readonly Place[] {
  return mapShared(places, (place) => (place.uid === uid ? withFields(place, { waits }) : place));
}

/** Gives a free name to the first who waits, and takes it and all before it out of the line. */
function callNext(state: State): Decision {
  if (state.holder !== null) return { state, effects: [] };
  const first = state.places.findIndex(({ waits }) => waits);
  const next = state.places[first];
  if (next === undefined) return { state: initial, effects: [] };
  const { uid } = next;
  const places = state.places.slice(first + 1);
  return { state: { holder: uid, places }, effects: [{ type: 'admit', uid }] };
}
