/**
 * A StateStore that writes each change to a checkpoint file before readers or callers see it.
 *
 *     change ─┐
 *     change ─┼─ wait ─> one batch ─> next state ─> file ─> readers see it, callers are answered
 *     change ─┘             └── nothing changed: no write
 *
 * A change that would alter neither the file nor the pending changes returns immediately. One batch is
 * written at a time. Changes that arrive meanwhile share the next write, so thirty pods that start together
 * cost two fsyncs at most, and no change is lost.
 *
 * Invariants:
 *   1. Readers see the content of the file. A failed write changes neither the file nor what readers see; a
 *      caller whose change was refused may call again.
 *   2. Once the new file is in place it counts, even if the folder could not be synced: a restart would read
 *      it. The callers get CHECKPOINT_NOT_DURABLE, and the next change is written even if it has no effect,
 *      so calling again makes it durable.
 *   3. Removals are written like any other change. Kubernetes' kubelet leaves removals to the next write
 *      (KL-99), so after a restart it can still have allocations of deleted pods.
 */
import { PodkeepError } from '../../lib/errors.ts';
import type { PodResources, PodResourcesByUid, StateStore } from '../../ports/pod/state-store.ts';
import { CHECKPOINT_NOT_DURABLE } from './checkpoint-errors.ts';
import { CheckpointFile } from './checkpoint-file.ts';
import { formatCheckpoint, parseCheckpoint } from './checkpoint-text.ts';
import { nodeFileSystem, type FileSystem } from './file-system.ts';
import { SavedStateStore, type StateWriter } from './saved-state-store.ts';
import { applyChange, type StateChange } from './state-change.ts';

/** The kubelet's names for its two checkpoints: what was allocated (E-3), and what was applied (E-4). */
export const ALLOCATED_PODS_STATE = 'allocated_pods_state';
export const ACTUATED_PODS_STATE = 'actuated_pods_state';

export interface CheckpointStateStoreOptions {
  /** The kubelet's root folder. It is made if it is missing. */
  readonly folder: string;
  readonly name: string;
  readonly fileSystem?: FileSystem;
}

/** Restores the state in the file. A missing file is an empty state; an unreadable one is an error. */
export async function openCheckpointStateStore(
  options: CheckpointStateStoreOptions,
): Promise<StateStore> {
  const { folder, name, fileSystem = nodeFileSystem } = options;
  const file = new CheckpointFile(fileSystem, folder, name);
  const restored = await file.restore(parseCheckpoint);
  return new SavedStateStore(new CheckpointWriter(file, restored ?? new Map()));
}

interface WaitingChange {
  readonly change: StateChange;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

class CheckpointWriter implements StateWriter {
  readonly #file: CheckpointFile;
  #state: PodResourcesByUid;
  #isDurable = true;
  #waiting: WaitingChange[] = [];
  /** The batch that is being written. */
  #underWay: readonly WaitingChange[] = [];
  #isWriting = false;

  constructor(file: CheckpointFile, restored: PodResourcesByUid) {
    this.#file = file;
    this.#state = restored;
  }

  get(uid: string): PodResources | undefined {
    return this.#state.get(uid);
  }

  snapshot(): PodResourcesByUid {
    return this.#state;
  }

  change(change: StateChange): Promise<void> {
    if (this.#isKept(change)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ change, resolve, reject });
      if (this.#isWriting) return;
      this.#isWriting = true;
      // Not immediately, so that all calls in the same tick are in the same batch.
      queueMicrotask(() => void this.#writeAll());
    });
  }

  #isKept(change: StateChange): boolean {
    if (!this.#isDurable || change(this.#state).size > 0) return false;
    const next = new Map(this.#state);
    for (const { change: earlier } of [...this.#underWay, ...this.#waiting]) {
      applyChange(next, earlier);
    }
    return change(next).size === 0;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      this.#underWay = this.#waiting;
      this.#waiting = [];
      await this.#writeBatch(this.#underWay);
      this.#underWay = [];
    }
    this.#isWriting = false;
  }

  async #writeBatch(batch: readonly WaitingChange[]): Promise<void> {
    try {
      const next = new Map(this.#state);
      const differences = batch.filter(({ change }) => applyChange(next, change));
      if (differences.length > 0 || !this.#isDurable) await this.#write(next);
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  async #write(next: PodResourcesByUid): Promise<void> {
    try {
      await this.#file.replace(formatCheckpoint(next));
      this.#isDurable = true;
    } catch (error) {
      const isInPlace = error instanceof PodkeepError && error.code === CHECKPOINT_NOT_DURABLE;
      if (isInPlace) [this.#state, this.#isDurable] = [next, false];
      throw error;
    }
    this.#state = next;
  }
}
