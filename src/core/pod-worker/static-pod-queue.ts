/**
 * Decides which of the static pods that share one full name may run: at most one (PW-80).
 *
 *     joined ──> [ u2, u3, u4 ]   one entry for each pod, in the order of their arrival
 *     asked  ──> if the name is free, the first pod that still waits gets it; else the pod is refused
 *     left   ──> the pod is finished, or gone: the next one in the queue gets the name immediately (V-7)
 *
 * When a manifest is changed, the pod has a new UID and the same name. The old pod keeps the name until all
 * its resources are released, not only until its containers have stopped (PW-41). Other pods never block and
 * are never blocked.
 *
 * A pod that left keeps its entry, and is skipped. If the same UID comes back before the queue reached that
 * entry, the entry is valid again (PW-69). When no pod holds the name or waits for it, the queue is in its
 * initial state and need not be stored.
 *
 * The queue only knows which pods joined and left. pod-worker.ts knows what the pods do.
 */
import { unreachable } from '../../lib/assert.ts';
import { mapShared, withFields } from '../../lib/share.ts';

export interface State {
  /** The UID that holds the name. */
  readonly holder: string | null;
  readonly queued: readonly QueuedPod[];
}

interface QueuedPod {
  readonly uid: string;
  readonly waits: boolean;
}

export interface Event {
  readonly type: 'joined' | 'asked' | 'left';
  readonly uid: string;
}

/** The answer to a pod: to the one that asked, or to the next one when the name becomes free. */
export interface Effect {
  readonly type: 'admit' | 'refuse';
  readonly uid: string;
}

export interface Decision {
  readonly state: State;
  readonly effects: readonly Effect[];
}

export const initial: State = { holder: null, queued: [] };

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
  const queued = mark(state.queued, uid, true);
  return { ...state, queued: [...queued, { uid, waits: true }] };
}

function refuse(state: State, uid: string): Decision {
  return { state, effects: [{ type: 'refuse', uid }] };
}

function leave(state: State, uid: string): State {
  const holder = state.holder === uid ? null : state.holder;
  return withFields(state, { holder, queued: mark(state.queued, uid, false) });
}

function mark(queued: readonly QueuedPod[], uid: string, waits: boolean): readonly QueuedPod[] {
  return mapShared(queued, (entry) => (entry.uid === uid ? withFields(entry, { waits }) : entry));
}

/** Gives a free name to the first pod that waits, and removes it and all before it from the queue. */
function callNext(state: State): Decision {
  if (state.holder !== null) return { state, effects: [] };
  const first = state.queued.findIndex(({ waits }) => waits);
  const next = state.queued[first];
  if (next === undefined) return { state: initial, effects: [] };
  const { uid } = next;
  const queued = state.queued.slice(first + 1);
  return { state: { holder: uid, queued }, effects: [{ type: 'admit', uid }] };
}
