/**
 * Remembers why containers could not be started last time, for their statuses (KL-43).
 *
 * The status is computed before the sync tries to start the container again, so it shows the failure of the
 * previous sync. LRU cache of 1,000 entries.
 */
import type { Pod } from '../../../api/pod.ts';
import type { StartFailure } from '../../../core/pod-status/container-status.ts';
import { podReferenceOf, runSpecOf } from '../../../api/run-spec.ts';

const ENTRIES_MAX = 1000;

export class ReasonCache {
  readonly #failures = new Map<string, StartFailure>();

  failed(podUid: string, container: string, failure: StartFailure): void {
    const key = keyOf(podUid, container);
    this.#failures.delete(key);
    this.#failures.set(key, failure);
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > ENTRIES_MAX && oldest !== undefined) this.#failures.delete(oldest);
  }

  started(podUid: string, container: string): void {
    this.#failures.delete(keyOf(podUid, container));
  }

  /** By container name. */
  of(pod: Pod): ReadonlyMap<string, StartFailure> {
    const { uid } = podReferenceOf(pod);
    const { containers, initContainers = [], ephemeralContainers = [] } = runSpecOf(pod);
    const found = new Map<string, StartFailure>();
    for (const { name } of [...initContainers, ...containers, ...ephemeralContainers]) {
      const failure = this.#failures.get(keyOf(uid, name));
      if (!failure) continue;
      this.failed(uid, name, failure);
      found.set(name, failure);
    }
    return found;
  }
}

function keyOf(podUid: string, container: string): string {
  return `${podUid}_${container}`;
}
