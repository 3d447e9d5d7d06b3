/**
 * A state store that forgets everything when the process ends: for virtual nodes, which have no
 * containers that outlive them, and for tests. A change is made before its call returns.
 */
import type { PodResourcesByUid, StateStore } from '../../ports/state-store.ts';
import { KeptStateStore, type StateKeeper } from './kept-state-store.ts';
import type { StateChange } from './state-change.ts';

export function createMemoryStateStore(initial: PodResourcesByUid = new Map()): StateStore {
  return new KeptStateStore(new MemoryKeeper(initial));
}

class MemoryKeeper implements StateKeeper {
  #state: PodResourcesByUid;

  constructor(initial: PodResourcesByUid) {
    this.#state = initial;
  }

  get state(): PodResourcesByUid {
    return this.#state;
  }

  async change(change: StateChange): Promise<void> {
    this.#state = change(this.#state);
  }
}
