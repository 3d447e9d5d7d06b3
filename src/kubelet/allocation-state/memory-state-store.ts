/**
 * A state store that is lost when the process ends: for virtual nodes, which have no containers that
 * outlive them, and for tests. A change is made before its call returns.
 */
import type { PodResources, PodResourcesByUid, StateStore } from '../../ports/pod/state-store.ts';
import { SavedStateStore, type StateWriter } from './saved-state-store.ts';
import { applyChange, type StateChange } from './state-change.ts';

export function createMemoryStateStore(initial: PodResourcesByUid = new Map()): StateStore {
  return new SavedStateStore(new MemoryWriter(initial));
}

class MemoryWriter implements StateWriter {
  readonly #state: Map<string, PodResources>;
  /** Of the current state, if one was requested. */
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
