/**
 * Holds the resize conditions of all pods (SM-95 to SM-101); the rules are in
 * core/resize/resize-conditions.ts.
 */
import type { Time } from '../../api/meta.ts';
import type { Pod, PodCondition } from '../../api/pod.ts';
import * as resize from '../../core/resize/resize-conditions.ts';
import type { StatusObserver } from '../../ports/observe/status-observer.ts';

const NONE: resize.ResizeConditions = {};

export class PodResizeConditions {
  readonly #conditions = new Map<string, resize.ResizeConditions>();
  readonly #observer: StatusObserver;
  readonly #now: () => Time;

  constructor(observer: StatusObserver, now: () => Time) {
    this.#observer = observer;
    this.#now = now;
  }

  list(uid: string): readonly PodCondition[] {
    return resize.listConditions(this.#of(uid));
  }

  /** Returns whether the change is worth an Event. */
  setPending(uid: string, report: resize.ResizeReport): boolean {
    const { conditions, changed } = resize.setPending(this.#of(uid), report, this.#now());
    this.#put(uid, conditions);
    return changed;
  }

  setInProgress(
    uid: string,
    report: resize.ResizeReport,
  ): { readonly generation: number; readonly changed: boolean } {
    const result = resize.setInProgress(this.#of(uid), report, this.#now());
    this.#put(uid, result.conditions);
    return { generation: result.generation, changed: result.changed };
  }

  clearPending(uid: string): void {
    this.#put(uid, resize.clearPending(this.#of(uid)));
  }

  /** The generation that was in progress; null if none was. */
  clearInProgress(uid: string): number | null {
    const { inProgress } = this.#of(uid);
    this.#put(uid, resize.clearInProgress(this.#of(uid)));
    return inProgress ? (inProgress.observedGeneration ?? 0) : null;
  }

  backfill(pods: readonly Pod[]): void {
    for (const pod of pods) {
      const found = resize.backfill(pod, this.#now());
      const { uid = '' } = pod.metadata;
      const known = this.#of(uid);
      this.#set(uid, {
        pending: found.pending ?? known.pending,
        inProgress: found.inProgress ?? known.inProgress,
      });
    }
    this.#count();
  }

  forget(uid: string): void {
    if (this.#conditions.delete(uid)) this.#count();
  }

  #of(uid: string): resize.ResizeConditions {
    return this.#conditions.get(uid) ?? NONE;
  }

  #put(uid: string, conditions: resize.ResizeConditions): void {
    if (conditions === this.#of(uid)) return;
    this.#set(uid, conditions);
    this.#count();
  }

  #set(uid: string, conditions: resize.ResizeConditions): void {
    if (conditions.pending || conditions.inProgress) this.#conditions.set(uid, conditions);
    else this.#conditions.delete(uid);
  }

  #count(): void {
    this.#observer.resizesChanged(resize.countResizes(this.#conditions.values()));
  }
}
