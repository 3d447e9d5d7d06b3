/**
 * Runs the turns of one pod worker: one sync handler at a time, and returns its outcome.
 *
 * Each turn has its own AbortController, which is dropped when the turn ends, whatever the outcome (F-17).
 * Before the handler runs, the turn gets the pod's state from the pod cache; this state must be newer than
 * the end of the previous turn (PW-42).
 */
import type { RuntimePod } from '../../api/runtime-pod.ts';
import type { Effect } from '../../core/pod-worker/effect.ts';
import type { Outcome } from '../../core/pod-worker/event.ts';
import { unreachable } from '../../lib/assert.ts';
import type { PodReference } from '../../api/pod-reference.ts';
import { FailureLog } from './failure-log.ts';
import { messageOf, outcomeOf } from './outcome.ts';
import type { WorkerDeps } from './worker-deps.ts';

export type WorkEffect = Extract<
  Effect,
  { type: 'syncPod' | 'stopPod' | 'stopRuntimePod' | 'releasePod' }
>;

const DONE: Outcome = { kind: 'done' };

export class Turns {
  readonly #pod: PodReference;
  readonly #deps: WorkerDeps;
  #abort: AbortController | null = null;
  readonly #failures: FailureLog;
  #endedAtMs = Number.NEGATIVE_INFINITY;

  constructor(pod: PodReference, deps: WorkerDeps) {
    this.#pod = pod;
    this.#deps = deps;
    this.#failures = new FailureLog(pod, deps.log);
  }

  /** Never rejects: an error becomes an outcome. */
  async run(effect: WorkEffect): Promise<Outcome> {
    const abort = new AbortController();
    this.#abort = abort;
    try {
      const outcome = await this.#attempt(effect, abort.signal);
      this.#failures.succeeded();
      return outcome;
    } catch (error) {
      const outcome = outcomeOf(error, abort.signal, this.#deps.clock.now());
      this.#report(effect, outcome, error);
      return outcome;
    } finally {
      this.#abort = null;
    }
  }

  cancel(): void {
    this.#abort?.abort();
  }

  async #attempt(effect: WorkEffect, signal: AbortSignal): Promise<Outcome> {
    const { podSync, kills } = this.#deps;
    switch (effect.type) {
      case 'syncPod': {
        const { pod, mirrorPod, updateType } = effect;
        const runtimePod = await this.#look(signal);
        const request = { pod, mirrorPod, updateType, runtimePod };
        const { terminal, afterSync } = await this.#timed(() => podSync.syncPod(request, signal));
        afterSync?.();
        return terminal ? { kind: 'terminal' } : DONE;
      }
      case 'stopPod': {
        const { pod, graceSeconds, statusFrom } = effect;
        const runtimePod = await this.#look(signal);
        const overrideStatus = kills.overrideStatus(statusFrom);
        const request = { pod, runtimePod, graceSeconds, overrideStatus };
        await this.#timed(() => podSync.syncTerminatingPod(request, signal));
        return DONE;
      }
      case 'stopRuntimePod':
        await this.#timed(() => podSync.syncTerminatingRuntimePod(effect.runningPod, signal));
        return DONE;
      case 'releasePod': {
        const runtimePod = await this.#look(signal);
        const request = { pod: effect.pod, runtimePod };
        await this.#timed(() => podSync.syncTerminatedPod(request, signal));
        return DONE;
      }
      default:
        return unreachable(effect);
    }
  }

  async #look(signal: AbortSignal): Promise<RuntimePod> {
    const { podCache, events } = this.#deps;
    try {
      const runtimePod = await podCache.newerThan(this.#pod.uid, this.#endedAtMs, signal);
      // The turn was cancelled while it waited, so the handler is not started.
      signal.throwIfAborted();
      return runtimePod;
    } catch (error) {
      if (!signal.aborted) {
        const message = `error determining status: ${messageOf(error)}`;
        events.record(this.#pod, 'Warning', 'FailedSync', message);
      }
      throw error;
    }
  }

  /** Remembers when the work ended, even if it failed, because it may have changed the runtime anyway. */
  async #timed<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } finally {
      this.#endedAtMs = this.#deps.clock.monotonic();
    }
  }

  #report({ type }: WorkEffect, outcome: Outcome, error: unknown): void {
    const { log } = this.#deps;
    const facts = { pod: this.#pod, work: type, outcome, error };
    if (outcome.kind === 'cancelled') return log.info('Pod sync was cancelled', facts);
    // A back-off is not a failure of podkeep; users see it in the pod's status.
    const waits = outcome.kind === 'failed' && outcome.retryAfterMs !== null;
    if (waits) return log.info('Back-off in effect, will retry', facts);
    this.#failures.failed(type, error);
  }
}
