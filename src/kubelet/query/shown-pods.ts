/**
 * Holds the pods of this node as the query API shows them: the newest object of each pod, with its newest
 * status on this node.
 *
 *     pod manager ──> added, changed, removed ──┐
 *     status manager ──> a status was stored ───┴──> published, if the shown pod has changed
 *
 * Both managers call synchronously at each change, so changes are published in the order in which they
 * happen. The status of a pod that the pod manager does not have (any more) is not shown, as in /pods.
 */
import type { Pod, PodStatus } from '../../api/pod.ts';
import type { PodName } from '../../ports/api/api-client.ts';
import type { StatusSubscriber } from '../../ports/observe/status-subscriber.ts';
import type { KnownPod, PodLookup } from '../../ports/pod/pod-lookup.ts';
import type { Change } from './change-feed.ts';

/** The part of the pod manager that queries need. */
export interface QueriedPods extends PodLookup {
  /** All pods except mirror pods. */
  pods(): readonly Pod[];
  findByName(name: PodName): KnownPod | undefined;
  subscribe(subscriber: { podUpdated(pod: Pod): void; podRemoved(pod: Pod): void }): () => void;
}

/** The part of the status manager that queries need. */
export interface QueriedStatuses {
  getPodStatus(uid: string): PodStatus | undefined;
  subscribe(subscriber: StatusSubscriber): () => void;
}

export interface ShownPodsDeps {
  readonly pods: QueriedPods;
  readonly status: QueriedStatuses;
  readonly publish: (change: Change<Pod>) => void;
}

export class ShownPods {
  readonly #deps: ShownPodsDeps;
  readonly #shown = new Map<string, Pod>();
  readonly #endings: readonly (() => void)[];

  constructor(deps: ShownPodsDeps) {
    const { pods, status } = deps;
    this.#deps = deps;
    for (const pod of pods.pods()) this.#shown.set(uidOf(pod), this.#withStatus(pod));
    this.#endings = [
      pods.subscribe({
        podUpdated: (pod) => this.#update(pod),
        podRemoved: (pod) => this.#remove(pod),
      }),
      status.subscribe({
        podUpdated: (pod) => this.#statusStored(pod),
        podRemoved: (pod) => this.#statusStored(pod),
      }),
    ];
  }

  all(): readonly Pod[] {
    return [...this.#shown.values()];
  }

  findByName(name: PodName): Pod | undefined {
    const pod = this.#deps.pods.findByName(name)?.pod;
    return pod && this.#shown.get(uidOf(pod));
  }

  close(): void {
    for (const end of this.#endings) end();
  }

  #statusStored(pod: Pod): void {
    const known = this.#deps.pods.find(uidOf(pod))?.pod;
    if (known) this.#update(known);
  }

  #update(pod: Pod): void {
    const uid = uidOf(pod);
    const before = this.#shown.get(uid) ?? null;
    const after = this.#withStatus(pod);
    if (before && isSame(before, after)) return;
    this.#shown.set(uid, after);
    this.#deps.publish({ type: 'pod', before, after });
  }

  #remove(pod: Pod): void {
    const before = this.#shown.get(uidOf(pod));
    if (!before) return;
    this.#shown.delete(uidOf(pod));
    this.#deps.publish({ type: 'deleted', before, after: null });
  }

  /** Adds apiVersion and kind, which items of the API server's lists do not have. */
  #withStatus(pod: Pod): Pod {
    const status = this.#deps.status.getPodStatus(uidOf(pod)) ?? pod.status;
    return { apiVersion: 'v1', kind: 'Pod', ...pod, ...(status && { status }) };
  }
}

/** Objects are immutable and shared, so comparing references is enough. */
function isSame(a: Pod, b: Pod): boolean {
  return a.metadata === b.metadata && a.spec === b.spec && a.status === b.status;
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? '';
}
