/**
 * Drives the machine of core/probe-worker.ts: keeps its timer, asks its container, keeps its results.
 *
 * News may come while a decision is being carried out, because a result that changes changes statuses.
 * They wait until it is done, so that effects never mix.
 */
import type { ContainerStatus, PodStatus } from '../../api/pod.ts';
import * as machine from '../../core/probe-worker.ts';
import { unreachable } from '../../lib/assert.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import { podReferenceOf } from '../pod-runner/run-spec.ts';
import type { ProbeMetrics, ProbedContainer } from './probe-metrics.ts';
import type { Probe } from './probe-spec.ts';
import { runProbe, type ProberPorts } from './prober.ts';
import type { ResultCache } from './result-cache.ts';

export interface WorkerRoom extends ProberPorts {
  readonly clock: Clock;
  readonly metrics: ProbeMetrics;
  /** What podkeep tells of the pod. */
  readonly statusOf: (podUid: string) => PodStatus | undefined;
}

export class ProbeWorker {
  readonly assignment: machine.Assignment;
  readonly #room: WorkerRoom;
  readonly #probe: Probe;
  readonly #results: ResultCache;
  readonly #probed: ProbedContainer;
  readonly #ended = new AbortController();
  readonly #inbox: (() => machine.Event)[] = [];
  #state = machine.initial;
  #isDeciding = false;
  #cancelTimer: Cancel = () => undefined;

  constructor(
    room: WorkerRoom,
    assignment: machine.Assignment,
    probe: Probe,
    results: ResultCache,
  ) {
    const { pod, container, kind } = assignment;
    this.assignment = assignment;
    this.#room = room;
    this.#probe = probe;
    this.#results = results;
    this.#probed = { pod: podReferenceOf(pod), container: container.name, kind };
  }

  begin(delayMs: number): void {
    this.#hear(() => ({ type: 'began', delayMs }));
  }

  stop(): void {
    this.#hear(() => ({ type: 'stopped' }));
  }

  /**
   * The status of the pod has changed. A container that could be ready and is not is asked at once:
   * that is what somebody waits for (KL-78). The other probes keep to their periods, because what they
   * find out early could only be that the container needs longer.
   */
  statusChanged(): void {
    if (this.assignment.kind !== 'readiness' || !this.#isUnready()) return;
    this.#hear(() => ({ type: 'triggered', view: this.#view() }));
  }

  #isUnready(): boolean {
    const status = this.#room.statusOf(this.#probed.pod.uid);
    const { containerStatuses, initContainerStatuses } = status ?? {};
    const isMeant = (each: ContainerStatus): boolean => each.name === this.#probed.container;
    const shown = containerStatuses?.find(isMeant) ?? initContainerStatuses?.find(isMeant);
    if (!shown?.state?.running || shown.started !== true) return false;
    return this.#results.get('readiness', shown.containerID ?? '') !== 'success';
  }

  #hear(event: () => machine.Event): void {
    this.#inbox.push(event);
    if (this.#isDeciding) return;
    this.#isDeciding = true;
    try {
      for (let next = this.#inbox.shift(); next; next = this.#inbox.shift()) this.#decide(next());
    } finally {
      this.#isDeciding = false;
    }
  }

  #decide(event: machine.Event): void {
    const nowMs = this.#room.clock.monotonic();
    const { state, effects } = machine.decide(this.assignment, this.#state, event, nowMs);
    this.#state = state;
    for (const effect of effects) this.#perform(effect);
  }

  #perform(effect: machine.Effect): void {
    const { clock, metrics } = this.#room;
    const { kind } = this.assignment;
    switch (effect.type) {
      case 'probe':
        this.#cancelTimer();
        void this.#ask(effect.containerID, effect.status);
        break;
      case 'setResult':
        this.#results.set(kind, effect.containerID, effect.result);
        break;
      case 'removeResult':
        this.#results.remove(kind, effect.containerID);
        break;
      case 'wakeAfter':
        this.#cancelTimer();
        this.#cancelTimer = clock.after(effect.delayMs, () => {
          this.#hear(() => ({ type: 'woke', view: this.#view() }));
        });
        break;
      case 'end':
        this.#cancelTimer();
        this.#ended.abort();
        metrics.forget(this.#probed);
        break;
      default:
        unreachable(effect);
    }
  }

  async #ask(containerID: string, status: PodStatus): Promise<void> {
    const { clock, metrics } = this.#room;
    const { signal } = this.#ended;
    const { container } = this.assignment;
    const startMs = clock.monotonic();
    const question = { pod: this.#probed.pod, status, container, containerID, probe: this.#probe };
    const outcome = await runProbe(this.#room, this.assignment, question, signal);
    const seconds = (clock.monotonic() - startMs) / 1000;
    if (outcome !== 'errored') metrics.probed(this.#probed, outcome, seconds);
    this.#hear(() => ({ type: 'probed', outcome, view: this.#view() }));
  }

  #view(): machine.View {
    const { clock, statusOf } = this.#room;
    return { status: statusOf(this.#probed.pod.uid), nowMs: clock.now() };
  }
}
