/**
 * Decides whether this node admits a pod (KL-59): the checks of Kubernetes' kubelet, in the same order and
 * with the same messages.
 *
 *     pressure ─> sysctls ─> OS, groups ─> resources, affinity, name, ports, taints ─> AppArmor,
 *                                            │                                         features, shutdown
 *                                            └─ a critical pod that lacks only resources
 *                                               preempts other pods
 *
 * Invariants:
 *   1. No pod is preempted for one that is rejected in the end: obstacles that preemption cannot remove are
 *      checked first. (Kubernetes' kubelet checks AppArmor, features and the shutdown of the node only after
 *      the preemption.)
 *   2. The decision depends only on the arguments.
 */
import type { Pod } from '../../api/pod.ts';
import type { AdmissionView } from './admission-view.ts';
import { rejectUnconfinable } from './app-armor.ts';
import { isCriticalPod } from './critical-pod.ts';
import { rejectUnderPressure } from './node-pressure.ts';
import {
  rejectMissingFeatures,
  rejectOtherOs,
  rejectPodLevelResources,
  rejectStrictGroups,
} from './platform-checks.ts';
import { describeShortage, findFailures, type PredicateFailures } from './predicates.ts';
import { planPreemption } from './preemption.ts';
import { UNEXPECTED_ADMISSION_ERROR, type Rejection } from './rejection.ts';
import { rejectSysctls } from './sysctls.ts';

export type AdmissionDecision =
  | { readonly rejection: Rejection }
  | {
      readonly rejection: null;
      /** The pods to preempt first, so that the pod fits. */
      readonly victims: readonly Pod[];
      /** The resource that they are preempted for. Absent: there are none. */
      readonly shortOf?: string;
    };

const INVALID_NODE_INFO: Rejection = {
  reason: 'InvalidNodeInfo',
  message: 'Kubelet cannot get node info.',
};

const NODE_SHUTDOWN: Rejection = {
  reason: 'NodeShutdown',
  message: 'Pod was rejected as the node is shutting down.',
};

export function admit(view: AdmissionView): AdmissionDecision {
  const { pod, node } = view;
  const early = rejectUnderPressure(view) ?? rejectSysctls(view);
  if (early) return { rejection: early };
  if (!node) return { rejection: INVALID_NODE_INFO };
  const unfit = rejectOtherOs(view) ?? rejectStrictGroups(pod, node);
  if (unfit) return { rejection: unfit };
  const failures = findFailures({ ...view, node });
  const misplaced = firstFailure(pod, failures);
  const late =
    misplaced ??
    rejectUnconfinable(view) ??
    rejectPodLevelResources(view) ??
    rejectMissingFeatures(view) ??
    (view.isShuttingDown ? NODE_SHUTDOWN : null);
  return late ? { rejection: late } : preempt(view, failures);
}

/** A critical pod is not rejected for a lack of resources: only obstacles that preemption cannot remove count. */
function firstFailure(pod: Pod, { shortages, obstacles }: PredicateFailures): Rejection | null {
  const [shortage] = shortages;
  if (shortage && !isCriticalPod(pod)) return describeShortage(shortage);
  return obstacles[0] ?? null;
}

function preempt(
  { pod, others }: AdmissionView,
  { shortages }: PredicateFailures,
): AdmissionDecision {
  const [first] = shortages;
  if (!first) return { rejection: null, victims: [] };
  const plan = planPreemption(pod, others.pods(), shortages);
  if (plan.victims) return { rejection: null, victims: plan.victims, shortOf: first.resource };
  const message =
    'Unexpected error while attempting to recover from admission failure: ' + plan.fault;
  return { rejection: { reason: UNEXPECTED_ADMISSION_ERROR, message } };
}
