/**
 * The turns of one pod: runs one piece of work at a time and says how it ended.
 *
 * Each turn has an AbortController of its own that is dropped when the turn ends, whatever happened
 * (F-17). Before the work begins, the pod is looked at in the runtime, with a view from after the end
 * of the turn before (PW-42).
 */
import type { RuntimePod } from '../../api/runtime-pod.ts';
import type { Effect } from '../../core/pod-worker/effect.ts';
import type { Outcome } from '../../core/pod-worker/event.ts';
import { unreachable } from '../../lib/assert.ts';
import { PodkeepError } from '../../lib/errors.ts';
import type { PodReference } from '../../ports/pod-reference.ts';
import { messageOf, outcomeOf } from './outcome.ts';
import type { WorkerRoom } from './worker-room.ts';

export type WorkEffect = Extract<
  Effect,
  { type: 'syncPod' | 'stopPod' | 'stopRuntimePod' | 'releasePod' }
>;

const DONE: Outcome = { kind: 'done' };

export class Turns {
  readonly #pod: PodReference;
  readonly #room: WorkerRoom;
  #abort: AbortController | null = null;
  #endedAtMs = Number.NEGATIVE_INFINITY;

  constructor(pod: PodReference, room: WorkerRoom) {
    this.#pod = pod;
    this.#room = room;
  }

  /** Never rejects: what is thrown is an outcome too. */
  async run(effect: WorkEffect): Promise<Outcome> {
    const abort = new AbortController();
    this.#abort = abort;
    try {
      return await this.#attempt(effect, abort.signal);
    } catch (error) {
      const outcome = outcomeOf(error, abort.signal, this.#room.clock.now());
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
    const { podSync, kills } = this.#room;
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
    const { podCache, events } = this.#room;
    try {
      const runtimePod = await podCache.newerThan(this.#pod.uid, this.#endedAtMs, signal);
      // Overtaken while it looked. The work would only begin to be cancelled.
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

  /** Notes when the work ended, also if it failed: it may have changed the runtime all the same. */
  async #timed<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } finally {
      this.#endedAtMs = this.#room.clock.monotonic();
    }
  }

  #report({ type }: WorkEffect, outcome: Outcome, error: unknown): void {
    const { log } = this.#room;
    const facts = { pod: this.#pod, work: type, outcome, error };
    if (outcome.kind === 'cancelled') return log.info('the work on a pod was cancelled', facts);
    // To wait out a back-off is no failure of ours, and the users of the pod see it in its status.
    const waits = outcome.kind === 'failed' && outcome.retryAfterMs !== null;
    if (waits) return log.info('a pod waits for the end of a back-off', facts);
    const message = 'the work on a pod failed and will be tried again';
    if (error instanceof PodkeepError) log.warn(message, facts);
    else log.error(message, facts);
  }
}
