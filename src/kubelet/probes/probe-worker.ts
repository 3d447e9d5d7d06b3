/**
 * Drives the state machine of core/probes/probe-worker.ts: sets its timer, probes its container, stores its
 * results.
 *
 * Events may arrive while a decision is carried out, because a new result changes statuses. They are queued
 * until all effects of the decision are performed.
 */
import type { ContainerStatus, PodStatus } from '../../api/pod.ts';
import * as machine from '../../core/probes/probe-worker.ts';
import { probeWait } from '../../core/pod-waits/wait-names.ts';
import { unreachable } from '../../lib/assert.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import { podReferenceOf } from '../../api/run-spec.ts';
import type { PodWaits } from '../waiting/pod-waits.ts';
import type { ProbeMetrics, ProbedContainer } from './probe-metrics.ts';
import type { Probe } from './probe-spec.ts';
import { runProbe, type ProberPorts } from './prober.ts';
import type { ResultCache } from './result-cache.ts';

export interface ProbeWorkerDeps extends ProberPorts {
  readonly clock: Clock;
  readonly metrics: ProbeMetrics;
  /** The status that podkeep reports for the pod. */
  readonly statusOf: (podUid: string) => PodStatus | undefined;
  /** Absent: what pods wait for is not recorded. */
  readonly waits?: PodWaits | undefined;
}

export class ProbeWorker {
  readonly assignment: machine.Assignment;
  readonly #deps: ProbeWorkerDeps;
  readonly #probe: Probe;
  readonly #results: ResultCache;
  readonly #probed: ProbedContainer;
  readonly #ended = new AbortController();
  readonly #inbox: (() => machine.Event)[] = [];
  #state = machine.initial;
  #isDeciding = false;
  #cancelTimer: Cancel = () => undefined;

  constructor(
    deps: ProbeWorkerDeps,
    assignment: machine.Assignment,
    probe: Probe,
    results: ResultCache,
  ) {
    const { pod, container, kind } = assignment;
    this.assignment = assignment;
    this.#deps = deps;
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
   * The status of the pod has changed. A container that runs but is not ready is probed immediately, because
   * users wait for its readiness (KL-78). Other probes keep their periods, because an early probe could only
   * find that the container needs longer.
   */
  statusChanged(): void {
    if (this.assignment.kind !== 'readiness' || !this.#isUnready()) return;
    this.#hear(() => ({ type: 'triggered', view: this.#view() }));
  }

  #isUnready(): boolean {
    const status = this.#deps.statusOf(this.#probed.pod.uid);
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
    const nowMs = this.#deps.clock.monotonic();
    const { containerID } = this.#state;
    const { state, effects } = machine.decide(this.assignment, this.#state, event, nowMs);
    this.#state = state;
    this.#recordWait(event, containerID, nowMs);
    for (const effect of effects) this.#perform(effect);
  }

  /**
   * Records that the pod waits for a failing probe; a new container, a success or the end of the worker ends
   * the wait.
   */
  #recordWait(event: machine.Event, containerID: string, nowMs: number): void {
    const { waits, clock } = this.#deps;
    const { kind, failureThreshold } = this.assignment;
    const { phase, run, nextLookMs, isOnHold } = this.#state;
    const { pod, container } = this.#probed;
    const name = probeWait(kind, container);
    const isReplaced = containerID !== '' && containerID !== this.#state.containerID;
    if (phase === 'ended' || isReplaced || run?.outcome === 'success') {
      waits?.over(pod, name);
    } else if (event.type === 'probed' && event.outcome === 'failure' && run) {
      waits?.wait(pod, name, {
        why: `failures in a row: ${run.count} (the failure threshold is ${failureThreshold})`,
        attempts: run.count,
        ...(!isOnHold && { nextAtMs: clock.now() + Math.max(nextLookMs - nowMs, 0) }),
      });
    }
  }

  #perform(effect: machine.Effect): void {
    const { clock, metrics } = this.#deps;
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
    const { clock, metrics } = this.#deps;
    const { signal } = this.#ended;
    const { container } = this.assignment;
    const startMs = clock.monotonic();
    const question = { pod: this.#probed.pod, status, container, containerID, probe: this.#probe };
    const outcome = await runProbe(this.#deps, this.assignment, question, signal);
    const seconds = (clock.monotonic() - startMs) / 1000;
    if (outcome !== 'errored') metrics.probed(this.#probed, outcome, seconds);
    this.#hear(() => ({ type: 'probed', outcome, view: this.#view() }));
  }

  #view(): machine.View {
    const { clock, statusOf } = this.#deps;
    return { status: statusOf(this.#probed.pod.uid), nowMs: clock.now() };
  }
}
