/**
 * Which pods this node has, from all sources, by UID and by name; and which mirror belongs to which
 * static pod (KL-61).
 *
 * Mirrors are kept apart: whoever asks for a pod never gets the image of one. A mirror and its static
 * pod have the same full name, and that alone makes them a pair, so a pair is never stored: it is there
 * as soon as both are, and gone with the first of them. Whether the mirror is up to date is another
 * question (mirror-pods.ts).
 */
import type { Pod } from '../../api/pod.ts';
import { isMirrorPod, isStaticPod } from '../../core/pod-facts.ts';
import type { PodName } from '../../ports/api-client.ts';
import type { KnownPod } from '../../ports/pod-lookup.ts';
import type { PodManager } from '../../ports/pod-manager.ts';

export interface UidTranslations {
  /** Every static pod by its UID; null: it has no mirror. */
  readonly mirrorOf: ReadonlyMap<string, string | null>;
  /** Mirrors that have a static pod. */
  readonly sourceOf: ReadonlyMap<string, string>;
}

export class NodePodManager implements PodManager {
  readonly #pods = new NamedPods();
  readonly #mirrors = new NamedPods();

  /** Adds a pod, or replaces what was known of it. */
  update(pod: Pod): void {
    this.#shelfOf(pod).put(pod);
  }

  remove(pod: Pod): void {
    this.#shelfOf(pod).delete(pod);
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

  /** What belongs to a pod or to a mirror: the pod may be missing, if it is the mirror of none. */
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
    const mirror = this.#mirrors.byUid(uid);
    const source = mirror && this.#pods.byFullName(fullNameOf(mirror));
    return source?.metadata.uid ?? uid;
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
    for (const { pod, mirrorPod } of this.staticPods()) {
      mirrorOf.set(pod.metadata.uid ?? '', mirrorPod?.metadata.uid ?? null);
    }
    const sourceOf = new Map<string, string>();
    for (const mirror of this.mirrorPods()) {
      const { uid = '' } = mirror.metadata;
      const source = this.sourceUidOf(uid);
      if (source !== uid) sourceOf.set(uid, source);
    }
    return { mirrorOf, sourceOf };
  }

  #withMirror(pod: Pod): KnownPod {
    const mirrorPod = this.#mirrors.byFullName(fullNameOf(pod));
    return mirrorPod ? { pod, mirrorPod } : { pod };
  }

  #shelfOf(pod: Pod): NamedPods {
    return isMirrorPod(pod) ? this.#mirrors : this.#pods;
  }
}

/** Unique on a node at any time, as its containers' names are made of it. */
export function fullNameOf({ metadata }: Pod): string {
  return `${metadata.name ?? ''}_${metadata.namespace ?? ''}`;
}

/** Pods by UID and by full name. Of two with one name, the name is that of the one that came last. */
class NamedPods {
  readonly #byUid = new Map<string, Pod>();
  readonly #uidByName = new Map<string, string>();

  put(pod: Pod): void {
    const { uid = '' } = pod.metadata;
    this.#byUid.set(uid, pod);
    this.#uidByName.set(fullNameOf(pod), uid);
  }

  /** The news that the old one is gone may come after the new one has taken its name. */
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
