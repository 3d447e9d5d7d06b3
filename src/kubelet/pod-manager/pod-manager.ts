/**
 * Holds the pods of this node from all sources, by UID and by name, and knows which mirror pod belongs to
 * which static pod (KL-61).
 *
 * Mirror pods are stored separately: a lookup of a pod never returns a mirror pod. A mirror pod and the
 * static pod of the same full name are a pair as soon as both are known, even if the mirror pod is outdated,
 * so that it can be found and replaced (mirror-pods.ts).
 *
 * A mirror pod shows only the status of the static pod that it was created for. Kubernetes' kubelet matches
 * the two by name alone, so its outdated mirror pod shows the start of the next static pod under the hash of
 * the previous one. In podkeep an outdated mirror pod still shows how its own static pod ends, even if the
 * manifest is gone or another pod has the name.
 */
import type { Pod } from '../../api/pod.ts';
import { isMirrorPod, isStaticPod } from '../../core/pod/pod-facts.ts';
import type { PodName } from '../../ports/api/api-client.ts';
import type { KnownPod } from '../../ports/pod/pod-lookup.ts';
import type { PodManager } from '../../ports/pod/pod-manager.ts';
import { CONFIG_HASH, CONFIG_MIRROR } from './config-annotations.ts';

export interface UidTranslations {
  /**
   * The UID of the mirror pod by the UID of its static pod, even if only the mirror pod is left. Null: there
   * is no mirror pod.
   */
  readonly mirrorOf: ReadonlyMap<string, string | null>;
  /** The UID of the static pod by the UID of its mirror pod. */
  readonly sourceOf: ReadonlyMap<string, string>;
}

/** Called synchronously at each change, but not for mirror pods. It never throws. */
export interface PodManagerSubscriber {
  podUpdated(pod: Pod): void;
  podRemoved(pod: Pod): void;
}

export class NodePodManager implements PodManager {
  readonly #pods = new NamedPods();
  readonly #mirrors = new NamedPods();
  /** UIDs of static pods, including removed ones, by the UIDs of their mirrors. */
  readonly #sources = new Map<string, string>();
  readonly #subscribers = new Set<PodManagerSubscriber>();

  subscribe(subscriber: PodManagerSubscriber): () => void {
    this.#subscribers.add(subscriber);
    return () => void this.#subscribers.delete(subscriber);
  }

  /** Adds a pod, or replaces its last version. */
  update(pod: Pod): void {
    this.#shelfOf(pod).put(pod);
    this.#pairUp(fullNameOf(pod));
    if (isMirrorPod(pod)) return;
    for (const subscriber of this.#subscribers) subscriber.podUpdated(pod);
  }

  remove(pod: Pod): void {
    this.#shelfOf(pod).delete(pod);
    if (isMirrorPod(pod)) this.#sources.delete(uidOf(pod));
    else for (const subscriber of this.#subscribers) subscriber.podRemoved(pod);
  }

  find(uid: string): KnownPod | undefined {
    const pod = this.#pods.byUid(uid);
    return pod && this.#withMirror(pod);
  }

  findByName({ namespace, name }: PodName): KnownPod | undefined {
    return this.findByFullName(`${name}_${namespace}`);
  }

  /** `NAME_NAMESPACE`. */
  findByFullName(fullName: string): KnownPod | undefined {
    const pod = this.#pods.byFullName(fullName);
    return pod && this.#withMirror(pod);
  }

  /** The pair of a pod or of a mirror pod: `pod` is missing for a mirror pod without a static pod. */
  findPair(pod: Pod): {
    readonly pod?: Pod;
    readonly mirrorPod?: Pod;
    readonly wasMirror: boolean;
  } {
    if (!isMirrorPod(pod)) return { ...this.#withMirror(pod), wasMirror: false };
    const source = this.#pods.byFullName(fullNameOf(pod));
    return { ...(source && { pod: source }), mirrorPod: pod, wasMirror: true };
  }

  sourceUidOf(uid: string): string {
    return this.#sources.get(uid) ?? uid;
  }

  mirrorOf(uid: string): Pod | undefined {
    return this.#mirrors.all().findLast((mirror) => this.#sources.get(uidOf(mirror)) === uid);
  }

  /** All but mirrors. */
  pods(): readonly Pod[] {
    return this.#pods.all();
  }

  mirrorPods(): readonly Pod[] {
    return this.#mirrors.all();
  }

  staticPods(): readonly KnownPod[] {
    return this.pods()
      .filter(isStaticPod)
      .map((pod) => this.#withMirror(pod));
  }

  /** Mirrors of static pods that are gone. */
  orphanedMirrors(): readonly Pod[] {
    return this.mirrorPods().filter((pod) => !this.#pods.byFullName(fullNameOf(pod)));
  }

  uidTranslations(): UidTranslations {
    const mirrorOf = new Map<string, string | null>();
    for (const { pod } of this.staticPods()) mirrorOf.set(uidOf(pod), null);
    for (const [mirror, source] of this.#sources) mirrorOf.set(source, mirror);
    return { mirrorOf, sourceOf: new Map(this.#sources) };
  }

  #pairUp(fullName: string): void {
    const mirror = this.#mirrors.byFullName(fullName);
    const source = this.#pods.byFullName(fullName);
    if (!mirror || !source) return;
    if (isShownBy(mirror, source)) this.#sources.set(uidOf(mirror), uidOf(source));
    else if (this.sourceUidOf(uidOf(mirror)) === uidOf(source)) this.#sources.delete(uidOf(mirror));
  }

  #withMirror(pod: Pod): KnownPod {
    const mirrorPod = this.#mirrors.byFullName(fullNameOf(pod));
    return mirrorPod ? { pod, mirrorPod } : { pod };
  }

  #shelfOf(pod: Pod): NamedPods {
    return isMirrorPod(pod) ? this.#mirrors : this.#pods;
  }
}

/** Unique on a node at any time, because the names of its containers contain it. */
export function fullNameOf({ metadata }: Pod): string {
  return `${metadata.name ?? ''}_${metadata.namespace ?? ''}`;
}

/** Whether the mirror pod was created for this pod. A pod without a hash matches any mirror pod. */
function isShownBy(mirror: Pod, { metadata }: Pod): boolean {
  const hash = metadata.annotations?.[CONFIG_HASH];
  return hash === undefined || mirror.metadata.annotations?.[CONFIG_MIRROR] === hash;
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? '';
}

/** Pods by UID and by full name. If two pods have the same name, the last one is found by it. */
class NamedPods {
  readonly #byUid = new Map<string, Pod>();
  readonly #uidByName = new Map<string, string>();

  put(pod: Pod): void {
    const { uid = '' } = pod.metadata;
    this.#byUid.set(uid, pod);
    this.#uidByName.set(fullNameOf(pod), uid);
  }

  /** The removal of the old pod may come after the new one has taken its name. */
  delete(pod: Pod): void {
    const { uid = '' } = pod.metadata;
    const fullName = fullNameOf(pod);
    this.#byUid.delete(uid);
    if (this.#uidByName.get(fullName) === uid) this.#uidByName.delete(fullName);
  }

  byUid(uid: string): Pod | undefined {
    return this.#byUid.get(uid);
  }

  byFullName(fullName: string): Pod | undefined {
    const uid = this.#uidByName.get(fullName);
    return uid === undefined ? undefined : this.#byUid.get(uid);
  }

  all(): readonly Pod[] {
    return [...this.#byUid.values()];
  }
}
