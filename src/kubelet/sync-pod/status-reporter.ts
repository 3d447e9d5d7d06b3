/**
 * Computes the status of a pod from the runtime, the probes and the last status, and passes it to the status
 * manager (KL-20 to KL-29), which applies the newest probe results at that moment (F-3).
 */
import { replaceOrAppendCondition } from '../../api/condition.ts';
import type { Pod, PodStatus } from '../../api/pod.ts';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import { formatTime } from '../../api/values/time.ts';
import { DEADLINE_EXCEEDED } from '../../core/pod/active-deadline.ts';
import { conditionOf } from '../../core/pod-status/condition-form.ts';
import { READY_TO_START_CONTAINERS } from '../../core/pod-status/condition-ownership.ts';
import { podStatus } from '../../core/pod-status/pod-status.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EventRecorder } from '../../ports/observe/event-recorder.ts';
import type { StatusOverride } from '../../ports/pod/pod-sync.ts';
import type { StateStore } from '../../ports/pod/state-store.ts';
import type { ProbeResults } from '../../ports/pod/probe-results.ts';
import type { PodRunner } from '../containers/pod-runner.ts';
import { podReferenceOf } from '../../api/run-spec.ts';
import type { StatusManager } from '../status-manager/status-manager.ts';

export interface StatusReporterDeps {
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly status: StatusManager;
  readonly runner: Pick<PodRunner, 'startFailures'>;
  readonly prober: ProbeResults;
  /** The addresses of the node, at most one of each family. */
  readonly hostIPs: () => readonly string[];
  readonly supportsRecursiveReadOnly?: () => boolean;
  readonly actuated?: StateStore | undefined;
}

export class StatusReporter {
  readonly #options: StatusReporterDeps;

  constructor(options: StatusReporterDeps) {
    this.#options = options;
  }

  /** The last status that podkeep reported for the pod. */
  lastReported(pod: Pod): PodStatus {
    return this.#options.status.getPodStatus(podReferenceOf(pod).uid) ?? pod.status ?? {};
  }

  /** Computes the status and passes it on. `isTerminal`: no container of the pod will start any more. */
  report(
    pod: Pod,
    runtime: RuntimePod,
    isTerminal: boolean,
    override: StatusOverride | null = null,
  ): PodStatus {
    const computed = this.#compute(pod, runtime, isTerminal);
    const status = override ? override(computed) : computed;
    this.#reportDeadline(pod, computed);
    this.#options.status.handOverPodStatus(pod, status);
    return status;
  }

  /** Sandbox, network and volumes are ready: containers can start (KL-7, E-17). */
  reportReadyToStart(pod: Pod): void {
    const lastReported = this.lastReported(pod);
    const condition = conditionOf(pod, READY_TO_START_CONTAINERS, 'True');
    const conditions = replaceOrAppendCondition(lastReported.conditions, condition);
    // Read, change and store happen in one synchronous step: no other write can come in between.
    this.#options.status.setPodStatus(pod, { ...lastReported, conditions });
  }

  #compute(pod: Pod, runtime: RuntimePod, isTerminal: boolean): PodStatus {
    const { clock, status, runner, prober, hostIPs, actuated } = this.#options;
    const { uid } = podReferenceOf(pod);
    return podStatus({
      pod,
      lastReported: status.getPodStatus(uid),
      runtime,
      isTerminal,
      startFailures: runner.startFailures(pod),
      probes: prober.of(uid),
      resizeConditions: status.resizeConditions(uid),
      hostIPs: hostIPs(),
      supportsRecursiveReadOnly: this.#options.supportsRecursiveReadOnly?.() ?? false,
      actuated: actuated?.podResources(uid),
      now: formatTime(clock.now()),
    });
  }

  /** Records the Event once for each pod: afterwards the status already has the reason (KL-24). */
  #reportDeadline(pod: Pod, { reason }: PodStatus): void {
    if (reason !== DEADLINE_EXCEEDED.reason || this.lastReported(pod).reason === reason) return;
    const { message } = DEADLINE_EXCEEDED;
    this.#options.events.record(podReferenceOf(pod), 'Normal', DEADLINE_EXCEEDED.reason, message);
  }
}
