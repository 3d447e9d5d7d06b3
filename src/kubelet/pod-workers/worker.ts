/**
 * One pod's worker: carries out what the machine decides for its UID, and knows no rules of its own.
 *
 * If one of our rules turns out to be broken (`decide` throws), the pod is parked: its containers are
 * left as they are, nothing more is done for it, and people are told as loudly as can be. The other
 * pods go on. A guess would be worse: it could kill what should run.
 */
import type { Work } from '../../core/pod-worker/event.ts';
import * as podWorker from '../../core/pod-worker/pod-worker.ts';
import { unreachable } from '../../lib/assert.ts';
import type { PodReference } from '../../ports/pod-reference.ts';
import { messageOf } from './outcome.ts';
import { Turns } from './turns.ts';
import type { WorkEffect } from './turns.ts';
import type { WorkerRoom } from './worker-room.ts';

const WORK: Readonly<Record<WorkEffect['type'], Work>> = {
  syncPod: 'sync',
  stopPod: 'stop',
  stopRuntimePod: 'stop',
  releasePod: 'release',
};

export class Worker {
  readonly pod: PodReference;
  readonly #room: WorkerRoom;
  readonly #turns: Turns;
  #state: podWorker.State = podWorker.initial;
  #parked = false;
  #running: Promise<void> = Promise.resolve();

  constructor(pod: PodReference, room: WorkerRoom) {
    this.pod = pod;
    this.#room = room;
    this.#turns = new Turns(pod, room);
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
      const nowMs = this.#room.clock.monotonic();
      const { state, effects, why } = podWorker.decide(from, event, nowMs);
      this.#state = state;
      if (why !== null) this.#record(from.phase, state.phase, why);
      for (const effect of effects) this.#perform(effect);
    } catch (error) {
      this.#park(event, error);
    }
  }

  /** Cancels the work in flight, and waits for its end. */
  async stop(): Promise<void> {
    this.#turns.cancel();
    await this.#running;
  }

  #perform(effect: podWorker.Effect): void {
    const { kills, observer, clock } = this.#room;
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
        return this.#room.wakeAfter(this.pod.uid, effect.delay);
      case 'completeKills':
        return kills.complete(effect.kills);
      case 'joinLine':
        return this.#room.tellLine(this.pod, 'joined');
      case 'askForTurn':
        return this.#room.tellLine(this.pod, 'asked');
      case 'leaveLine':
        return this.#room.tellLine(this.pod, 'left');
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
    this.#room.post(this.pod.uid, { type: 'settled', work: WORK[effect.type], outcome });
  }

  #park(event: podWorker.Event, error: unknown): void {
    this.#parked = true;
    const { events, log } = this.#room;
    const reason = messageOf(error);
    const message = `podkeep no longer manages this pod, because a rule of its own was broken: ${reason}`;
    log.error(message, { pod: this.pod, event, state: this.#state, error });
    events.record(this.pod, 'Warning', 'PodParked', message);
    this.#record(this.#state.phase, 'parked', reason);
  }

  #record(from: string, to: string, why: string): void {
    const { clock, decisions } = this.#room;
    decisions.record({ atMs: clock.now(), pod: this.pod, machine: 'pod-worker', from, to, why });
  }
}
