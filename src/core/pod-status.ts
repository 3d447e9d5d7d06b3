/**
 * The status of a pod as the API shall show it (KL-20 to KL-29), from everything that is known:
 * the spec, what was said before, what the runtime and the probes see.
 *
 *     container statuses ──> phase ──> reason and message ──> probes ──> conditions ──> addresses
 *
 * Times are not set here: whoever stores the status dates its conditions (SM-23).
 *
 * Invariants:
 *   1. A pod that was terminal, in the API or in what was said before, stays terminal.
 *   2. Foreign conditions of the API are kept as they are.
 */
import { findCondition, replaceOrAppendCondition } from '../api/condition.ts';
import type { Time } from '../api/meta.ts';
import type { Pod, PodCondition, PodPhase, PodStatus } from '../api/pod.ts';
import type { RuntimePod } from '../api/runtime-pod.ts';
import { DEADLINE_EXCEEDED, isPastDeadline } from './active-deadline.ts';
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
import { isTerminalPhase } from './pod-facts.ts';
import { podLevelResources } from './pod-level-resources.ts';
import { podRequests } from './pod-resources.ts';
import { withProbeResults, type ProbeView } from './probe-status.ts';
import { qosClass } from './qos-class.ts';
import { containersReadyCondition, readyCondition } from './ready-conditions.ts';
import { allContainersRestartingCondition, isRestartingAll } from './restart-all.ts';
import { mayRestartAllContainers } from './restart-policy.ts';
import { hasActiveRegularContainer } from './runtime-facts.ts';
import { sandboxChange } from './sandbox-change.ts';

export interface PodStatusView {
  /** As the API has it, with the allocated resources in its spec. */
  readonly pod: Pod;
  /** What podkeep said last, if it said anything. */
  readonly said?: PodStatus | undefined;
  readonly runtime: RuntimePod;
  /** Nothing of the pod will be started any more. */
  readonly isTerminal: boolean;
  readonly startFailures: ReadonlyMap<string, StartFailure>;
  readonly probes: ProbeView;
  /** PodResizePending and PodResizeInProgress, as the status manager remembers them. */
  readonly resizeConditions: readonly PodCondition[];
  readonly hostIPs: readonly string[];
  readonly supportsRecursiveReadOnly: boolean;
  readonly now: Time;
}

export function podStatus(view: PodStatusView): PodStatus {
  const { pod, runtime } = view;
  const old = view.said ?? pod.status ?? {};
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
    resources: podLevelResources(pod, runtime.resources, old),
    ...(Object.keys(allocated).length > 0 && { allocatedResources: allocated }),
  };
}

type Spoken = Pick<PodStatus, 'phase' | 'reason' | 'message'>;

/** Phase, and why: whatever was terminal stays so, and a past deadline ends the pod. */
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
  const judged: Spoken = isPastDeadline(pod, old, view.now)
    ? { phase: 'Failed', ...DEADLINE_EXCEEDED }
    : spoken;
  const api = pod.status?.phase;
  return isTerminalPhase(api) ? { ...judged, phase: api } : judged;
}

/** The first terminal one of what was computed, what was said, and what the API has (KL-22). */
function keepTerminal(computed: PodPhase, ...before: readonly (PodPhase | undefined)[]): PodPhase {
  return [computed, ...before].find(isTerminalPhase) ?? computed;
}

function reasonOf(old: PodStatus, api: PodStatus): Spoken {
  const reason = old.reason || api.reason;
  const message = old.message || api.message;
  return { ...(reason && { reason }), ...(message && { message }) };
}

/** A pod without generations has none to observe (SM-120). */
function observedBy({ metadata }: Pod, condition: PodCondition): PodCondition {
  const { observedGeneration: _, ...rest } = condition;
  return metadata.generation ? condition : rest;
}

/** The order is the kubelet's (KL-27): readiness gates see what stands before Ready (KL-28). */
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
