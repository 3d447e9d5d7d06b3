/**
 * Holds the newest known API object of each pod, by namespace and name.
 *
 * Objects come from the watch and from the responses to podkeep's own writes. The two may arrive out of
 * order, so the resourceVersion decides which is newer. A pod stays known after it has left this node's pod
 * manager, because its final status may still have to be written (SM-70).
 */
import type { Pod } from '../../api/pod.ts';
import type { PodName } from '../../ports/api/api-client.ts';

export class KnownObjects {
  readonly #objects = new Map<string, Pod>();

  find(pod: PodName): Pod | null {
    return this.#objects.get(keyOf(pod)) ?? null;
  }

  /** Returns whether the object was new. */
  learn(pod: Pod): boolean {
    const key = keyOf(nameOf(pod));
    const before = this.#objects.get(key);
    if (before && isOlder(pod, before)) return false;
    this.#objects.set(key, pod);
    return before !== pod;
  }

  /** The API does not have this pod any more; another pod that took its name meanwhile stays known. */
  forget(pod: PodName, uid: string | undefined): void {
    const key = keyOf(pod);
    if (this.#objects.get(key)?.metadata.uid === uid) this.#objects.delete(key);
  }

  /** Forgets every object whose UID is not needed any more. */
  keepOnly(isNeeded: (uid: string) => boolean): void {
    for (const [key, { metadata }] of this.#objects) {
      if (!isNeeded(metadata.uid ?? '')) this.#objects.delete(key);
    }
  }
}

export function nameOf({ metadata }: Pod): PodName {
  return { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}

function keyOf({ namespace, name }: PodName): string {
  return `${namespace}/${name}`;
}

/** Versions that are not numbers cannot be compared; then the last object counts. */
export function isOlder(a: Pod, b: Pod): boolean {
  const [x, y] = [a.metadata.resourceVersion ?? '', b.metadata.resourceVersion ?? ''];
  if (!/^\d+$/.test(x) || !/^\d+$/.test(y)) return false;
  return x.length === y.length ? x < y : x.length < y.length;
}
