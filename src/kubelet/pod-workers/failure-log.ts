/**
 * Logs the failures of a pod worker: each reason once, and after that only the number of failures, at the
 * tenth, the hundredth and every further power of ten.
 *
 * Users of the pod see the reason in its status and Events; an administrator of the node needs one line for
 * it, not one for every retry of every pod.
 */
import { PodkeepError } from '../../lib/errors.ts';
import type { Log } from '../../ports/log.ts';
import type { PodReference } from '../../api/pod-reference.ts';
import { messageOf } from './outcome.ts';

/** Limited, because a reason that contains a number is a new reason each time. */
const REASONS_MAX = 20;

export class FailureLog {
  readonly #pod: string;
  readonly #uid: string;
  readonly #log: Log;
  readonly #reasons = new Set<string>();
  #failures = 0;

  constructor({ namespace, name, uid }: PodReference, log: Log) {
    this.#pod = `${namespace}/${name}`;
    this.#uid = uid;
    this.#log = log;
  }

  /** `work` is what failed, such as `syncPod`. */
  failed(work: string, error: unknown): void {
    this.#failures += 1;
    const { pod, podUID, failures } = {
      pod: this.#pod,
      podUID: this.#uid,
      failures: this.#failures,
    };
    const reason = this.#reasonOf(error);
    const key = `${work} ${reason}`;
    if (!this.#reasons.has(key) && this.#reasons.size < REASONS_MAX) {
      this.#reasons.add(key);
      // Any error that is no PodkeepError is a defect, and its stack shows where.
      if (error instanceof PodkeepError)
        this.#log.warn(MESSAGES[work] ?? OTHER, { pod, podUID, reason });
      else this.#log.error(MESSAGES[work] ?? OTHER, { pod, podUID, reason, error });
      return;
    }
    const isRound = Number.isInteger(Math.log10(failures)) && failures > 1;
    if (isRound) this.#log.warn('Still failing to sync pod, will retry', { pod, podUID, failures });
    else this.#log.debug(MESSAGES[work] ?? OTHER, { pod, podUID, reason, failures });
  }

  succeeded(): void {
    if (this.#failures > 0) {
      const { pod, podUID, failures } = {
        pod: this.#pod,
        podUID: this.#uid,
        failures: this.#failures,
      };
      this.#log.info('Pod sync succeeded after failures', { pod, podUID, failures });
    }
    this.#failures = 0;
    this.#reasons.clear();
  }

  /** Without the name of the pod, which is logged beside it. */
  #reasonOf(error: unknown): string {
    const prefix = `failed to sync pod ${this.#pod}: `;
    const message = messageOf(error);
    return message.startsWith(prefix) ? message.slice(prefix.length) : message;
  }
}

const OTHER = 'Pod worker failed, will retry';
const MESSAGES: Readonly<Record<string, string>> = {
  syncPod: 'Failed to sync pod, will retry',
  stopPod: 'Failed to stop pod, will retry',
  stopRuntimePod: 'Failed to stop orphaned pod, will retry',
  releasePod: 'Failed to clean up terminated pod, will retry',
};
