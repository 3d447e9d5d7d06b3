/**
 * The worker of one pod: feeds events to the state machine of core/pod-worker, and performs its effects. It
 * has no rules itself.
 *
 * If an invariant is violated (`decide` throws), the pod is parked: its containers stay as they are, the
 * worker does nothing more for it, and the error is logged and recorded as an Event. Other pods are not
 * affected. Continuing with a guess would be worse: it could kill containers that should run.
 */
import type { Work } from '../../core/pod-worker/event.ts';
import * as podWorker from '../../core/pod-worker/pod-worker.ts';
import { unreachable } from '../../lib/assert.ts';
import type { PodReference } from '../../api/pod-reference.ts';
import { messageOf } from './outcome.ts';
import { Turns } from './turns.ts';
import type { WorkEffect } from './turns.ts';
import { WorkerWaits } from './worker-waits.ts';
import type { WorkerDeps } from './worker-deps.ts';

const MACHINE = 'pod-worker';

const WORK: Readonly<Record<WorkEffect['type'], Work>> = {
  syncPod: 'sync',
  stopPod: 'stop',
  stopRuntimePod: 'stop',
  releasePod: 'release',
};

export class Worker {
  readonly pod: PodReference;
  readonly #deps: WorkerDeps;
  readonly #turns: Turns;
  readonly #waits: WorkerWaits;
  #state: podWorker.State = podWorker.initial;
  #parked = false;
  #running: Promise<void> = Promise.resolve();

  constructor(pod: PodReference, deps: WorkerDeps) {
    this.pod = pod;
    this.#deps = deps;
    this.#turns = new Turns(pod, deps);
    this.#waits = new WorkerWaits(pod, (one) => deps.nameHolder(one));
  }

  get state(): podWorker.State {
    return this.#state;
  }

  get parked(): boolean {
    return this.#parked;
  }

  send(event: podWorker.Event): void {
    if (this.#parked) return;
    const from = this.#state;
    try {
      const nowMs = this.#deps.clock.monotonic();
      const { state, effects, why } = podWorker.decide(from, event, nowMs);
      this.#state = state;
      const wakeMs = this.#wakeMsOf(effects);
      if (why !== null) this.#record(from.phase, state.phase, why, event, wakeMs);
      for (const effect of effects) this.#perform(effect, wakeMs ?? 0);
    } catch (error) {
      this.#park(event, error);
    }
  }

  /** Cancels the current work, and waits for its end. */
  async stop(): Promise<void> {
    this.#turns.cancel();
    await this.#running;
  }

  /**
   * The delay until the next sync, if the decision has a `wakeAfter` effect. Computed once, because it draws
   * the jitter.
   */
  #wakeMsOf(effects: readonly podWorker.Effect[]): number | undefined {
    const wake = effects.find(({ type }) => type === 'wakeAfter');
    return wake?.type === 'wakeAfter' ? this.#deps.delayMs(wake.delay) : undefined;
  }

  #perform(effect: podWorker.Effect, wakeMs: number): void {
    const { kills, observer, clock } = this.#deps;
    switch (effect.type) {
      case 'syncPod':
      case 'stopPod':
      case 'stopRuntimePod':
      case 'releasePod':
        this.#running = this.#run(effect);
        return;
      case 'cancelInFlight':
        return this.#turns.cancel();
      case 'wakeAfter':
        return this.#deps.wakeAfter(this.pod.uid, wakeMs);
      case 'completeKills':
        return kills.complete(effect.kills);
      case 'joinLine':
        return this.#deps.notifyQueue(this.pod, 'joined');
      case 'askForTurn':
        return this.#deps.notifyQueue(this.pod, 'asked');
      case 'leaveLine':
        return this.#deps.notifyQueue(this.pod, 'left');
      case 'countStart':
        return observer.podStarted(effect.containers);
      case 'measureTurn':
        return observer.turnEnded(
          effect.operation,
          (clock.monotonic() - effect.startedAtMs) / 1000,
        );
      default:
        return unreachable(effect);
    }
  }

  async #run(effect: WorkEffect): Promise<void> {
    const outcome = await this.#turns.run(effect);
    this.#deps.enqueue(this.pod.uid, { type: 'settled', work: WORK[effect.type], outcome });
  }

  #park(event: podWorker.Event, error: unknown): void {
    this.#parked = true;
    const { events, log } = this.#deps;
    const reason = messageOf(error);
    const message = `Internal error: podkeep stopped managing this pod: ${reason}`;
    log.error(message, { pod: this.pod, event, state: this.#state, error });
    events.record(this.pod, 'Warning', 'PodParked', message);
    const { clock, decisions } = this.#deps;
    const record = { from: this.#state.phase, to: 'parked', why: reason };
    decisions.record({ atMs: clock.now(), pod: this.pod, machine: MACHINE, ...record });
  }

  #record(
    from: podWorker.State['phase'],
    to: podWorker.State['phase'],
    why: string,
    event: podWorker.Event,
    wakeMs: number | undefined,
  ): void {
    const { clock, decisions } = this.#deps;
    const atMs = clock.now();
    const nextAtMs = wakeMs === undefined ? undefined : atMs + wakeMs;
    const wait = this.#waits.after(event, to, { nowMs: atMs, nextAtMs });
    decisions.record({ atMs, pod: this.pod, machine: MACHINE, from, to, why, ...wait });
  }
}
