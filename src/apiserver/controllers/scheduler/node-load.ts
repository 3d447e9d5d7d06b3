/** Tracks the pods of a node and the sums that filters and scores need, updated pod by pod. */
import type { Amounts } from './amounts.ts';
import type { HostPort, PodView } from './pod-view.ts';

export class NodeLoad {
  readonly pods = new Map<string, PodView>();
  readonly requested = new Map<string, bigint>();
  /**
   * Like `requested`, but a container without requests counts with small default amounts of cpu and memory.
   */
  readonly assumed = new Map<string, bigint>();
  /** Pods with required or preferred affinity or anti-affinity to other pods. */
  readonly affinityPods = new Set<PodView>();
  /** Pods by the ports that they use on the machine or declare (see `portKey`). */
  readonly ports = new Map<string, Set<PodView>>();

  add(pod: PodView): void {
    this.pods.set(pod.key, pod);
    if (hasAffinity(pod)) this.affinityPods.add(pod);
    count(this.requested, pod.requests, 1n);
    count(this.assumed, pod.assumed, 1n);
    for (const key of portKeys(pod)) {
      const users = this.ports.get(key) ?? new Set();
      users.add(pod);
      this.ports.set(key, users);
    }
  }

  /** Expects a pod that was added. */
  remove(pod: PodView): void {
    this.pods.delete(pod.key);
    this.affinityPods.delete(pod);
    count(this.requested, pod.requests, -1n);
    count(this.assumed, pod.assumed, -1n);
    for (const key of portKeys(pod)) {
      const users = this.ports.get(key);
      users?.delete(pod);
      if (users?.size === 0) this.ports.delete(key);
    }
  }

  /** A copy for a dry run. */
  copy(): NodeLoad {
    const copy = new NodeLoad();
    for (const pod of this.pods.values()) copy.add(pod);
    return copy;
  }
}

export function portKey({ protocol, port }: HostPort): string {
  return `${protocol}/${port}`;
}

function portKeys({ hostPorts, containerPorts }: PodView): ReadonlySet<string> {
  return new Set([...hostPorts, ...containerPorts].map(portKey));
}

function hasAffinity(pod: PodView): boolean {
  return (
    pod.affinity.length > 0 ||
    pod.antiAffinity.length > 0 ||
    pod.preferredAffinity.length > 0 ||
    pod.preferredAntiAffinity.length > 0
  );
}

function count(totals: Map<string, bigint>, amounts: Amounts, sign: bigint): void {
  for (const [name, amount] of amounts) totals.set(name, (totals.get(name) ?? 0n) + amount * sign);
}
