/**
 * Computes the status of a pod from everything that is known now, and hands it to the status
 * manager (KL-20 to KL-29). The newest probe results are applied in the moment it is handed over
 * (F-3).
 */
import { replaceOrAppendCondition } from '../../api/condition.ts';
import type { Pod, PodStatus } from '../../api/pod.ts';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import { formatTime } from '../../api/time.ts';
import { DEADLINE_EXCEEDED } from '../../core/active-deadline.ts';
import { conditionOf } from '../../core/condition-form.ts';
import { READY_TO_START_CONTAINERS } from '../../core/condition-ownership.ts';
import { podStatus } from '../../core/pod-status.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { StatusOverride } from '../../ports/pod-sync.ts';
import type { ProbeResults } from '../../ports/probe-results.ts';
import type { PodRunner } from '../pod-runner/pod-runner.ts';
import { podReferenceOf } from '../pod-runner/run-spec.ts';
import type { StatusManager } from '../status-manager/status-manager.ts';

export interface StatusTellerOptions {
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly status: StatusManager;
  readonly runner: Pick<PodRunner, 'startFailures'>;
  readonly prober: ProbeResults;
  /** The addresses of the node, at most one of each family. */
  readonly hostIPs: () => readonly string[];
  readonly supportsRecursiveReadOnly?: () => boolean;
}

export class StatusTeller {
  readonly #options: StatusTellerOptions;

  constructor(options: StatusTellerOptions) {
    this.#options = options;
  }

  /** What podkeep says of the pod at this moment. */
  said(pod: Pod): PodStatus {
    return this.#options.status.getPodStatus(podReferenceOf(pod).uid) ?? pod.status ?? {};
  }

  /** Computes and hands over. `isTerminal`: nothing of the pod will be started any more. */
  tell(
    pod: Pod,
    runtime: RuntimePod,
    isTerminal: boolean,
    override: StatusOverride | null = null,
  ): PodStatus {
    const computed = this.#compute(pod, runtime, isTerminal);
    const status = override ? override(computed) : computed;
    this.#tellDeadline(pod, computed);
    this.#options.status.handOverPodStatus(pod, status);
    return status;
  }

  /** Sandbox, network and volumes are there: containers can be started (KL-7, E-17). */
  tellReadyToStart(pod: Pod): void {
    const said = this.said(pod);
    const condition = conditionOf(pod, READY_TO_START_CONTAINERS, 'True');
    const conditions = replaceOrAppendCondition(said.conditions, condition);
    // Reading, changing and storing are one step: nobody can come in between.
    this.#options.status.setPodStatus(pod, { ...said, conditions });
  }

  #compute(pod: Pod, runtime: RuntimePod, isTerminal: boolean): PodStatus {
    const { clock, status, runner, prober, hostIPs } = this.#options;
    const { uid } = podReferenceOf(pod);
    return podStatus({
      pod,
      said: status.getPodStatus(uid),
      runtime,
      isTerminal,
      startFailures: runner.startFailures(pod),
      probes: prober.of(uid),
      resizeConditions: status.resizeConditions(uid),
      hostIPs: hostIPs(),
      supportsRecursiveReadOnly: this.#options.supportsRecursiveReadOnly?.() ?? false,
      now: formatTime(clock.now()),
    });
  }

  /** Once for each pod: afterwards the status says so already (KL-24). */
  #tellDeadline(pod: Pod, { reason }: PodStatus): void {
    if (reason !== DEADLINE_EXCEEDED.reason || this.said(pod).reason === reason) return;
    const { message } = DEADLINE_EXCEEDED;
    this.#options.events.record(podReferenceOf(pod), 'Normal', DEADLINE_EXCEEDED.reason, message);
  }
}
