/**
 * A StateStore in memory, which is lost when the process ends: for simulated nodes, whose containers end with
 * the process, and for tests. Each call makes its change before it returns.
 */
import type { PodResources, PodResourcesByUid, StateStore } from '../../ports/pod/state-store.ts';
import { SavedStateStore, type StateWriter } from './saved-state-store.ts';
import { applyChange, type StateChange } from './state-change.ts';

export function createMemoryStateStore(initial: PodResourcesByUid = new Map()): StateStore {
  return new SavedStateStore(new MemoryWriter(initial));
}

class MemoryWriter implements StateWriter {
  readonly #state: Map<string, PodResources>;
  /** A snapshot of the current state, if one was requested. */
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
