/**
 * Holds the allocation of each pod: the one that was decided last, and the one that is durable on disk.
 *
 *     grant ──> decided: counts for the pods that are admitted next
 *                  └── disk ──> durable: pod workers may act on it
 *
 * Pods that arrive together are admitted one after the other. Each admission counts the pods that were
 * admitted before, and the allocations of all of them are written to the store at once.
 *
 * Invariants:
 *   1. The kubelet never acts on an allocation that a restart would lose. A pod without an older allocation
 *      waits for `saved`; a resize takes effect only when it is on disk.
 *   2. A failed write is remembered: `saved` retries it, and `revert` takes the allocation back.
 */
import type { Pod } from '../../api/pod.ts';
import { withAllocation, type PodAllocation } from '../../core/resize/pod-allocation.ts';
import type { Log } from '../../ports/log.ts';
import type { StateStore } from '../../ports/pod/state-store.ts';

interface Grant {
  readonly allocation: PodAllocation;
  written: Promise<void>;
  hasFailed: boolean;
}

/** A pod merged with an allocation. Neither ever changes. */
interface Merged {
  readonly allocation: PodAllocation;
  readonly pod: Pod;
}

export class AllocationLedger {
  readonly #store: StateStore;
  readonly #log: Log;
  /** Allocations that were decided and are not known to be on disk. */
  readonly #open = new Map<string, Grant>();
  /** Cached, because each admission merges all other pods, and they seldom change. */
  readonly #merged = new WeakMap<Pod, Merged>();

  constructor(store: StateStore, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** The pod with its newest allocation; the same object if the spec requests exactly that. */
  decided(pod: Pod): Pod {
    const uid = uidOf(pod);
    const allocation = this.#open.get(uid)?.allocation ?? this.#store.podResources(uid);
    return allocation ? this.#merge(pod, allocation) : pod;
  }

  /** The pod with the resources that it may use now. */
  allocated(pod: Pod): Pod {
    const uid = uidOf(pod);
    const allocation = this.#store.podResources(uid) ?? this.#open.get(uid)?.allocation;
    return allocation ? this.#merge(pod, allocation) : pod;
  }

  /**
   * The allocation counts immediately, and is written when `ready` resolves. The returned promise resolves
   * when it is on disk; the caller may ignore it.
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

  /** Resolves when the pod's newest grant is on disk; a failed write is tried again. */
  saved(uid: string): Promise<void> {
    const grant = this.#open.get(uid);
    if (!grant) return Promise.resolve();
    return grant.hasFailed ? this.#write(uid, grant) : grant.written;
  }

  /** Takes back a grant that could not be written, unless a newer one was made since. */
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
      // Meanwhile the pod may have been removed, or got another grant.
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
    // The caller gets the error; if it ignores the promise, podkeep must not crash.
    grant.written.catch(() => undefined);
    return grant.written;
  }

  /** Logs a failed removal; the next housekeeping retries it. */
  #forget(removal: Promise<void>): void {
    removal.catch((error: unknown) => {
      this.#log.warn('Failed to remove allocations of deleted pods', { error });
    });
  }
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? '';
}
