/**
 * A state store that forgets everything when the process ends: for virtual nodes, which have no
 * containers that outlive them, and for tests. A change is made before its call returns.
 */
import type { PodResources, PodResourcesByUid, StateStore } from '../../ports/state-store.ts';
import { KeptStateStore, type StateKeeper } from './kept-state-store.ts';
import { applyChange, type StateChange } from './state-change.ts';

export function createMemoryStateStore(initial: PodResourcesByUid = new Map()): StateStore {
  return new KeptStateStore(new MemoryKeeper(initial));
}

class MemoryKeeper implements StateKeeper {
  readonly #state: Map<string, PodResources>;
  /** Of the state as it is, if somebody has asked for it. */
  #snapshot: PodResourcesByUid | null = null;

  constructor(initial: PodResourcesByUid) {
    this.#state = new Map(initial);
  }

  get(uid: string): PodResources | undefined {
    return this.#state.get(uid);
  }

  snapshot(): PodResourcesByUid {
    this.#snapshot ??= new Map(this.#state);
    return this.#snapshot;
  }

  async change(change: StateChange): Promise<void> {
    if (applyChange(this.#state, change)) this.#snapshot = null;
  }
}
