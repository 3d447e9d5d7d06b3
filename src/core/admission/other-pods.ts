/**
 * The pods on a node with the sum of their requests, so that admission of the next pod need not add them up
 * again.
 */
import type { Pod } from '../../api/pod.ts';
import { PODS, requestCounts } from './resource-counts.ts';

/** The pods already on the node, which a new pod must fit beside. */
export interface Others {
  /** In the units of resource-counts.ts. */
  requested(resource: string): bigint;
  pods(): readonly Pod[];
}

/** Two pods with one UID count as one: the later replaces the earlier. */
export class OtherPods implements Others {
  readonly #pods = new Map<string, Pod>();
  readonly #requested = new Map<string, bigint>();

  constructor(pods: readonly Pod[] = []) {
    for (const pod of pods) this.add(pod);
  }

  requested(resource: string): bigint {
    if (resource === PODS) return BigInt(this.#pods.size);
    return this.#requested.get(resource) ?? 0n;
  }

  pods(): readonly Pod[] {
    return [...this.#pods.values()];
  }

  add(pod: Pod): void {
    const uid = pod.metadata.uid ?? '';
    this.delete(uid);
    this.#pods.set(uid, pod);
    this.#count(pod, 1n);
  }

  delete(uid: string): void {
    const pod = this.#pods.get(uid);
    if (!pod) return;
    this.#pods.delete(uid);
    this.#count(pod, -1n);
  }

  #count(pod: Pod, sign: bigint): void {
    for (const [resource, count] of requestCounts(pod)) {
      this.#requested.set(resource, this.requested(resource) + sign * count);
    }
  }
}
