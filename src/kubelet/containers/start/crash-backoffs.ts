/** Holds the crash-loop back-offs of the containers of this node (KL-50 to KL-53). */
import type { Container, Pod } from '../../../api/pod.ts';
import type { RuntimePod } from '../../../api/runtime-pod.ts';
import { parseTime } from '../../../api/values/time.ts';
import {
  advance,
  backOffKey,
  CRASH_BACKOFF,
  isBackOffExpired,
  type BackOff,
  type BackOffLimits,
} from '../../../core/pod-actions/crash-backoff.ts';

export class CrashBackOffs {
  readonly #limits: BackOffLimits;
  readonly #backOffs = new Map<string, BackOff>();

  constructor(limits: BackOffLimits = CRASH_BACKOFF) {
    this.#limits = limits;
  }

  /** By the key of the container. */
  get all(): ReadonlyMap<string, BackOff> {
    return this.#backOffs;
  }

  /** The container is about to be started. Its first start does not advance the back-off. */
  starting(pod: Pod, container: Container, runtime: RuntimePod, now: number): void {
    const exited = runtime.containers.find(
      ({ name, state }) => name === container.name && state === 'exited',
    );
    if (!exited?.finishedAt) return;
    const key = backOffKey(pod, container);
    const finishedAt = parseTime(exited.finishedAt).ms;
    this.#backOffs.set(key, advance(this.#backOffs.get(key), finishedAt, now, this.#limits));
  }

  /** KL-64, step 17. */
  collectGarbage(now: number): void {
    for (const [key, backOff] of this.#backOffs) {
      if (isBackOffExpired(backOff, now)) this.#backOffs.delete(key);
    }
  }
}
