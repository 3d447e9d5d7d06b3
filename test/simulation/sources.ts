/**
 * The pod sources of one life of podkeep: the watch on the API and the folder of manifests. Each update
 * goes to the pod manager, the status manager and the pod workers, in this order (KL-57, KL-59).
 */
import type { Pod } from '../../src/api/pod.ts';
import { isMirrorPod, isTerminalPhase } from '../../src/core/pod/pod-facts.ts';
import { needsReadinessReconcile } from '../../src/core/pod-status/ready-conditions.ts';
import type { PodWorkers } from '../../src/kubelet/pod-workers/pod-workers.ts';
import type { StatusManager } from '../../src/kubelet/status-manager/status-manager.ts';
import type { PodName } from '../../src/ports/api/api-client.ts';
import type { MemoryPodManager } from '../support/memory-pod-manager.ts';
import type { ManifestChange } from './manifests.ts';
import { REFUSED, sourceUidOf } from './pod-templates.ts';
import type { RuntimeRecords } from './runtime-records.ts';
import type { WatchEvent } from './watch.ts';
import type { Weather } from './weather.ts';

export interface SourcesOptions {
  readonly pods: MemoryPodManager;
  readonly workers: PodWorkers;
  readonly status: StatusManager;
  readonly weather: Weather;
  readonly runtime: RuntimeRecords;
  /**
   * Holds back static pods that the workers would start beside one that runs from before a restart. They
   * cannot know of it; see known-gaps.test.ts.
   */
  readonly isCareful: boolean;
}

export class Sources {
  readonly #options: SourcesOptions;
  /** What the watch last showed, by namespace and name. */
  readonly #shown = new Map<string, Pod>();
  /** Static pods that the workers know, and those that wait for the end of an unknown one. */
  readonly #notified = new Set<string>();
  /** Pods that the workers know from the runtime only: these hold no full name of a static pod. */
  readonly strangers = new Set<string>();
  #keptBack: Pod[] = [];
  #isListed = false;
  #areManifestsRead = false;

  constructor(options: SourcesOptions) {
    this.#options = options;
  }

  /** Both sources have been read: pods that neither has do not exist. */
  get areReady(): boolean {
    return this.#isListed && this.#areManifestsRead;
  }

  shown(name: PodName): Pod | undefined {
    return this.#shown.get(keyOf(name));
  }

  mirrors(): readonly Pod[] {
    return [...this.#shown.values()].filter(isMirrorPod);
  }

  hearApi(event: WatchEvent): void {
    switch (event.type) {
      case 'listed':
        this.#list(event.pods);
        break;
      case 'changed':
        this.#apiPodChanged(event.pod);
        break;
      case 'gone':
        this.#apiPodGone(event.pod);
        break;
    }
  }

  readManifests(pods: readonly Pod[]): void {
    this.#areManifestsRead = true;
    const { runtime, isCareful } = this.#options;
    const isAlive = ({ metadata }: Pod): boolean => runtime.isAlive(metadata.uid ?? '');
    const first = isCareful ? pods.filter(isAlive) : [];
    for (const pod of new Set([...first, ...pods])) this.#addStatic(pod);
  }

  /** Passes on static pods that were held back, if nothing is in their way any more. */
  admitKeptBack(): void {
    const pods = this.#keptBack;
    this.#keptBack = [];
    for (const pod of pods) this.#addStatic(pod);
  }

  hearManifest({ removed, added }: ManifestChange): void {
    if (!this.#areManifestsRead) return;
    if (removed && this.#keptBack.includes(removed)) {
      this.#keptBack = this.#keptBack.filter((pod) => pod !== removed);
    } else if (removed) {
      this.#removed(removed);
    }
    if (added) this.#addStatic(added);
  }

  #list(pods: readonly Pod[]): void {
    const listed = new Set(pods.map(({ metadata }) => metadata.uid));
    for (const pod of this.#shown.values()) {
      if (!listed.has(pod.metadata.uid)) this.#apiPodGone(pod);
    }
    for (const pod of pods) this.#apiPodChanged(pod);
    this.#isListed = true;
  }

  #apiPodChanged(pod: Pod): void {
    const key = keyOf(nameOf(pod));
    const before = this.#shown.get(key);
    if (before && before.metadata.uid !== pod.metadata.uid) this.#apiPodGone(before);
    this.#shown.set(key, pod);
    const known = before?.metadata.uid === pod.metadata.uid ? before : undefined;
    if (isMirrorPod(pod)) this.#mirrorChanged(pod, known);
    else this.#podChanged(pod, known);
  }

  #apiPodGone(pod: Pod): void {
    const { status } = this.#options;
    const key = keyOf(nameOf(pod));
    if (this.#shown.get(key)?.metadata.uid !== pod.metadata.uid) return;
    this.#shown.delete(key);
    if (isMirrorPod(pod)) {
      status.apiPodGone(pod);
      this.#pairMirror(sourceUidOf(pod), undefined);
    } else {
      this.#removed(pod);
      status.apiPodGone(pod);
    }
  }

  #podChanged(pod: Pod, before: Pod | undefined): void {
    const { pods, status, workers } = this.#options;
    pods.set(pod);
    status.apiPodSeen(pod);
    if (!before) this.#admit(pod);
    else if (isMoreThanStatus(before, pod)) workers.updatePod({ updateType: 'update', pod });
    else if (needsReadinessReconcile(pod)) workers.updatePod({ updateType: 'sync', pod });
  }

  /** A rejected pod gets its final status immediately, and never a worker (KL-62). */
  #admit(pod: Pod): void {
    const { workers, status } = this.#options;
    const isRefused = pod.metadata.annotations?.[REFUSED] !== undefined;
    const { uid = '' } = pod.metadata;
    const isOver = isTerminalPhase(pod.status?.phase) || workers.isPodTerminationRequested(uid);
    if (isRefused && !isOver) {
      const message = 'Pod was rejected: as ordered';
      status.setPodStatus(pod, { phase: 'Failed', reason: 'OutOfpods', message });
    } else {
      workers.updatePod({ updateType: 'create', pod });
    }
  }

  #mirrorChanged(mirror: Pod, before: Pod | undefined): void {
    const { status } = this.#options;
    const isNew = !before || isMoreThanStatus(before, mirror);
    this.#pairMirror(sourceUidOf(mirror), mirror, isNew);
    status.apiPodSeen(mirror);
  }

  /** Sets or removes the mirror of a static pod, and lets the pod sync. */
  #pairMirror(staticUid: string, mirror: Pod | undefined, isNew = true): void {
    const { pods, workers } = this.#options;
    const pod = pods.find(staticUid)?.pod;
    if (!pod) return;
    pods.set(pod, mirror);
    if (isNew) workers.updatePod({ updateType: 'update', pod, mirrorPod: mirror });
  }

  #addStatic(pod: Pod): void {
    const { pods, workers, status } = this.#options;
    if (this.#isInTheWay(pod)) {
      this.#keptBack.push(pod);
      return;
    }
    this.#notified.add(pod.metadata.uid ?? '');
    const shown = this.shown(nameOf(pod));
    const mirrorPod = shown && sourceUidOf(shown) === pod.metadata.uid ? shown : undefined;
    pods.set(pod, mirrorPod);
    if (mirrorPod) status.apiPodSeen(mirrorPod);
    workers.updatePod({ updateType: 'create', pod, mirrorPod });
  }

  /** Does a pod of this full name run that the workers do not know? */
  #isInTheWay({ metadata }: Pod): boolean {
    const { runtime, isCareful } = this.#options;
    const fullName = `${metadata.name}_${metadata.namespace}`;
    return (
      isCareful &&
      runtime
        .all()
        .some(
          ({ pod: { uid }, staticName }) =>
            staticName === fullName &&
            uid !== metadata.uid &&
            (!this.#notified.has(uid) || this.strangers.has(uid)) &&
            runtime.isAlive(uid),
        )
    );
  }

  /** Before both sources are ready, no pod is killed for being missing (KL-59). */
  #removed(pod: Pod): void {
    const { pods, workers, weather } = this.#options;
    pods.remove(pod.metadata.uid ?? '');
    if (!this.areReady || weather.strikes('source: removal without a word')) return;
    workers.updatePod({ updateType: 'kill', pod });
  }
}

/** Is there a change that podkeep did not make itself? */
function isMoreThanStatus(before: Pod, after: Pod): boolean {
  const [a, b] = [before.metadata, after.metadata];
  return (
    before.spec !== after.spec ||
    a.deletionGracePeriodSeconds !== b.deletionGracePeriodSeconds ||
    a.labels !== b.labels
  );
}

function nameOf({ metadata }: Pod): PodName {
  return { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}

function keyOf({ namespace, name }: PodName): string {
  return `${namespace}/${name}`;
}
