/**
 * Computes the status of a pod for the API (KL-20 to KL-29) from the spec, the status reported before, the
 * runtime and the probes.
 *
 *     container statuses ──> phase ──> reason and message ──> probes ──> conditions ──> addresses
 *
 * Transition times are not set here: the status manager sets them when it stores the status (SM-23).
 *
 * Invariants:
 *   1. A pod that was terminal, in the API or in the status reported before, stays terminal.
 *   2. Conditions that other components wrote to the API are kept unchanged.
 */
import { findCondition, replaceOrAppendCondition } from '../../api/condition.ts';
import type { Time } from '../../api/meta.ts';
import type { Pod, PodCondition, PodPhase, PodStatus } from '../../api/pod.ts';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import { DEADLINE_EXCEEDED, isPastDeadline } from '../pod/active-deadline.ts';
import { conditionOf } from './condition-form.ts';
import {
  DISRUPTION_TARGET,
  isOwned,
  POD_SCHEDULED,
  READY_TO_START_CONTAINERS,
} from './condition-ownership.ts';
import { convertContainerStatuses, type StartFailure } from './container-status.ts';
import { initializedCondition } from './initialized-condition.ts';
import { podPhase } from './phase.ts';
import { podAddresses } from './pod-addresses.ts';
import { isTerminalPhase } from '../pod/pod-facts.ts';
import type { ActuatedResources } from '../pod-actions/plan.ts';
import { podLevelResources } from '../resources/pod-level-resources.ts';
import { podRequests } from '../resources/pod-resources.ts';
import { withProbeResults, type ProbeView } from './probe-status.ts';
import { qosClass } from '../resources/qos-class.ts';
import { containersReadyCondition, readyCondition } from './ready-conditions.ts';
import { allContainersRestartingCondition, isRestartingAll } from '../pod-actions/restart-all.ts';
import { mayRestartAllContainers } from '../pod-actions/restart-policy.ts';
import { hasActiveRegularContainer } from '../pod/runtime-facts.ts';
import { sandboxChange } from '../pod-actions/sandbox-change.ts';

export interface PodStatusView {
  /** The pod from the API, with the allocated resources in its spec. */
  readonly pod: Pod;
  /** The status that podkeep reported last, if any. */
  readonly lastReported?: PodStatus | undefined;
  readonly runtime: RuntimePod;
  /** No container of the pod will be started any more. */
  readonly isTerminal: boolean;
  readonly startFailures: ReadonlyMap<string, StartFailure>;
  readonly probes: ProbeView;
  /** PodResizePending and PodResizeInProgress, as the status manager stores them. */
  readonly resizeConditions: readonly PodCondition[];
  readonly hostIPs: readonly string[];
  readonly supportsRecursiveReadOnly: boolean;
  /** The resources that were applied last (E-4). Absent: this node cannot resize pods in place. */
  readonly actuated?: ActuatedResources | undefined;
  readonly now: Time;
}

export function podStatus(view: PodStatusView): PodStatus {
  const { pod, runtime } = view;
  const old = view.lastReported ?? pod.status ?? {};
  const converted = convertStatus(view, old);
  const spoken = decidePhase(view, old, converted);
  const probed = withProbeResults(pod, { ...converted, ...spoken }, view.probes);
  return {
    ...probed,
    conditions: buildConditions(view, old, probed),
    ...podAddresses(pod, runtime.ips, view.hostIPs),
  };
}

function convertStatus(view: PodStatusView, old: PodStatus): PodStatus {
  const { pod, runtime } = view;
  const { spec } = pod;
  const conversion = { ...view, isRestartingAll: isRestartingAll(pod, runtime, old) };
  const allocated = podRequests(pod);
  const init = spec.initContainers ?? [];
  const ephemeral = spec.ephemeralContainers ?? [];
  return {
    qosClass: pod.status?.qosClass || qosClass(pod),
    containerStatuses: convertContainerStatuses(
      conversion,
      'regular',
      spec.containers,
      old.containerStatuses,
    ),
    ...(init.length > 0 && {
      initContainerStatuses: convertContainerStatuses(
        conversion,
        'init',
        init,
        old.initContainerStatuses,
      ),
    }),
    ...(ephemeral.length > 0 && {
      ephemeralContainerStatuses: convertContainerStatuses(
        conversion,
        'ephemeral',
        ephemeral,
        old.ephemeralContainerStatuses,
      ),
    }),
    resources: podLevelResources(pod, runtime.resources, old, view.actuated),
    ...(Object.keys(allocated).length > 0 && { allocatedResources: allocated }),
  };
}

type Spoken = Pick<PodStatus, 'phase' | 'reason' | 'message'>;

/** Phase, reason and message: a terminal phase stays, and a past deadline ends the pod. */
function decidePhase(view: PodStatusView, old: PodStatus, converted: PodStatus): Spoken {
  const { pod, runtime, isTerminal } = view;
  const computed = podPhase(pod, {
    containerStatuses: [
      ...(converted.containerStatuses ?? []),
      ...(converted.initContainerStatuses ?? []),
    ],
    isTerminal,
    hasInitialized: hasActiveRegularContainer(pod, runtime),
  });
  const phase = keepTerminal(computed, old.phase, pod.status?.phase);
  const spoken: Spoken = { phase, ...(phase === old.phase && reasonOf(old, pod.status ?? {})) };
  const evaluated: Spoken = isPastDeadline(pod, old, view.now)
    ? { phase: 'Failed', ...DEADLINE_EXCEEDED }
    : spoken;
  const api = pod.status?.phase;
  return isTerminalPhase(api) ? { ...evaluated, phase: api } : evaluated;
}

/**
 * The first terminal phase among the computed phase, the last reported one and the API's, else the computed
 * phase (KL-22).
 */
function keepTerminal(computed: PodPhase, ...before: readonly (PodPhase | undefined)[]): PodPhase {
  return [computed, ...before].find(isTerminalPhase) ?? computed;
}

function reasonOf(old: PodStatus, api: PodStatus): Spoken {
  const reason = old.reason || api.reason;
  const message = old.message || api.message;
  return { ...(reason && { reason }), ...(message && { message }) };
}

/** A pod without a generation has no observedGeneration (SM-120). */
function observedBy({ metadata }: Pod, condition: PodCondition): PodCondition {
  const { observedGeneration: _, ...rest } = condition;
  return metadata.generation ? condition : rest;
}

/** In the kubelet's order (KL-27): readiness gates see the conditions before Ready (KL-28). */
function buildConditions(
  view: PodStatusView,
  old: PodStatus,
  status: PodStatus,
): readonly PodCondition[] {
  const { pod, runtime, isTerminal } = view;
  const disruption = findCondition(old.conditions, DISRUPTION_TARGET);
  const notOurs = [
    ...(pod.status?.conditions ?? []).filter(({ type }) => !isOwned(type)),
    ...(isTerminal ? [] : view.resizeConditions.map((condition) => observedBy(pod, condition))),
  ];
  const readiness = {
    containerStatuses: [
      ...(status.initContainerStatuses ?? []),
      ...(status.containerStatuses ?? []),
    ],
    phase: status.phase,
  };
  const canStart = !sandboxChange(pod, runtime).needed;
  const early = [
    ...(disruption ? replaceOrAppendCondition(notOurs, disruption) : notOurs),
    conditionOf(pod, READY_TO_START_CONTAINERS, canStart ? 'True' : 'False'),
    initializedCondition(pod, old, readiness),
  ];
  return [
    ...early,
    readyCondition(pod, readiness, early),
    containersReadyCondition(pod, readiness),
    conditionOf(pod, POD_SCHEDULED, 'True'),
    ...(mayRestartAllContainers(pod.spec)
      ? [allContainersRestartingCondition(pod, runtime, old, status.phase)]
      : []),
  ];
}
