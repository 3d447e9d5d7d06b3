/**
 * What was granted to each pod: what is decided, and what would survive a crash.
 *
 *     grant ──> decided: counts for whoever asks for room next
 *                  └── disk ──> kept: what workers may act on
 *
 * Pods that come in one burst are judged one after the other, each counting those before it, and
 * their grants wait together for one write of the store.
 *
 * Invariants:
 *   1. Nobody acts on a grant that a restart would forget. A pod without an older grant waits for
 *      `saved`; a resize shows only when it is on disk.
 *   2. A write that failed is not forgotten: `saved` tries again, and `revert` takes it back.
 */
import type { Pod } from '../../api/pod.ts';
import { withAllocation, type PodAllocation } from '../../core/pod-allocation.ts';
import type { Log } from '../../ports/log.ts';
import type { StateStore } from '../../ports/state-store.ts';

interface Grant {
  readonly allocation: PodAllocation;
  written: Promise<void>;
  hasFailed: boolean;
}

/** A pod with an allocation in it. Neither ever changes. */
interface Merged {
  readonly allocation: PodAllocation;
  readonly pod: Pod;
}

export class AllocationBook {
  readonly #store: StateStore;
  readonly #log: Log;
  /** Decided, and not known to be on disk. */
  readonly #open = new Map<string, Grant>();
  /** Whoever asks for room asks about all the others, and they seldom change. */
  readonly #merged = new WeakMap<Pod, Merged>();

  constructor(store: StateStore, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** The pod with what it was granted last; the very pod if it asks for exactly that. */
  decided(pod: Pod): Pod {
    const uid = uidOf(pod);
    const allocation = this.#open.get(uid)?.allocation ?? this.#store.podResources(uid);
    return allocation ? this.#merge(pod, allocation) : pod;
  }

  /** The pod with what it may use now. */
  kept(pod: Pod): Pod {
    const uid = uidOf(pod);
    const allocation = this.#store.podResources(uid) ?? this.#open.get(uid)?.allocation;
    return allocation ? this.#merge(pod, allocation) : pod;
  }

  /**
   * Counts at once, and is written when `ready`. The promise tells when it is on disk; nobody has to
   * listen to it.
   */
  grant(
    uid: string,
    allocation: PodAllocation,
    ready: Promise<unknown> | null = null,
  ): Promise<void> {
    const grant: Grant = { allocation, written: Promise.resolve(), hasFailed: false };
    this.#open.set(uid, grant);
    return this.#write(uid, grant, ready);
  }

  /** Resolves when the newest grant of the pod is on disk; one that failed is tried again. */
  saved(uid: string): Promise<void> {
    const grant = this.#open.get(uid);
    if (!grant) return Promise.resolve();
    return grant.hasFailed ? this.#write(uid, grant) : grant.written;
  }

  /** Takes back a grant that could not be written, unless another one was made since. */
  revert(uid: string): void {
    if (this.#open.get(uid)?.hasFailed) this.#open.delete(uid);
  }

  remove(uid: string): void {
    this.#open.delete(uid);
    this.#forget(this.#store.removePod(uid));
  }

  removeOrphans(remaining: ReadonlySet<string>): void {
    for (const uid of this.#open.keys()) if (!remaining.has(uid)) this.#open.delete(uid);
    this.#forget(this.#store.removeOrphanedPods(remaining));
  }

  #merge(pod: Pod, allocation: PodAllocation): Pod {
    const known = this.#merged.get(pod);
    if (known?.allocation === allocation) return known.pod;
    const merged = withAllocation(pod, allocation);
    this.#merged.set(pod, { allocation, pod: merged });
    return merged;
  }

  #write(uid: string, grant: Grant, ready: Promise<unknown> | null = null): Promise<void> {
    grant.hasFailed = false;
    const write = async (): Promise<void> => {
      // While it waited, the pod may have gone, or been granted something else.
      if (this.#open.get(uid) !== grant) return;
      await this.#store.setPodResources(uid, grant.allocation);
    };
    grant.written = (ready ? ready.then(write) : write()).then(
      () => {
        if (this.#open.get(uid) === grant) this.#open.delete(uid);
      },
      (error: unknown) => {
        grant.hasFailed = true;
        throw error;
      },
    );
    // Whoever listens hears of it; that nobody does is no reason for podkeep to end.
    grant.written.catch(() => undefined);
    return grant.written;
  }

  /** What could not be forgotten is forgotten by the next housekeeping. */
  #forget(removal: Promise<void>): void {
    removal.catch((error: unknown) => {
      this.#log.warn('what pods were granted that are gone could not be forgotten', { error });
    });
  }
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? '';
}
