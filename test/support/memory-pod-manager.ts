/** A pod manager whose pods the test sets. */
import type { Pod } from '../../src/api/pod.ts';
import type { KnownPod } from '../../src/ports/pod/pod-lookup.ts';
import type { PodManager } from '../../src/ports/pod/pod-manager.ts';

export class MemoryPodManager implements PodManager {
  readonly #pods = new Map<string, KnownPod>();
  readonly #sources = new Map<string, string>();

  find(uid: string): KnownPod | undefined {
    return this.#pods.get(uid);
  }

  sourceUidOf(uid: string): string {
    return this.#sources.get(uid) ?? uid;
  }

  mirrorOf(uid: string): Pod | undefined {
    return this.#pods.get(uid)?.mirrorPod;
  }

  uids(): readonly string[] {
    return [...this.#pods.keys()];
  }

  set(pod: Pod, mirrorPod?: Pod): void {
    const { uid = '' } = pod.metadata;
    this.remove(uid);
    this.#pods.set(uid, mirrorPod ? { pod, mirrorPod } : { pod });
    if (mirrorPod) this.#sources.set(mirrorPod.metadata.uid ?? '', uid);
  }

  remove(uid: string): void {
    const mirrorUid = this.#pods.get(uid)?.mirrorPod?.metadata.uid;
    if (mirrorUid !== undefined) this.#sources.delete(mirrorUid);
    this.#pods.delete(uid);
  }
}
