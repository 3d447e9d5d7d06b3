/**
 * Whether this node takes a pod (KL-59), in the order and the words of the kubelet.
 *
 *     under pressure? ─> sysctls ─> OS, groups ─> room, affinity, name, ports, taints ─> AppArmor,
 *                                                  │                                     features
 *                                                  └─ a critical pod that lacks nothing but room
 *                                                     gets it, and others have to go
 *
 * Invariants:
 *   1. Nobody has to go for a pod that is turned away in the end: what room does not help against is
 *      asked first. (The kubelet asks after AppArmor and features only when the others have gone.)
 *   2. The answer depends on what is handed in and on nothing else.
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

export type Verdict =
  | { readonly rejection: Rejection }
  | {
      readonly rejection: null;
      /** Have to go first, so that the pod fits. */
      readonly victims: readonly Pod[];
      /** What they have to go for; nothing if nobody has to. */
      readonly shortOf?: string;
    };

const INVALID_NODE_INFO: Rejection = {
  reason: 'InvalidNodeInfo',
  message: 'Kubelet cannot get node info.',
};

export function judge(view: AdmissionView): Verdict {
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
    rejectMissingFeatures(view);
  return late ? { rejection: late } : makeRoom(view, failures);
}

/** A critical pod is not turned away for want of room, so that is not what it hears first. */
function firstFailure(pod: Pod, { shortages, obstacles }: PredicateFailures): Rejection | null {
  const [shortage] = shortages;
  if (shortage && !isCriticalPod(pod)) return describeShortage(shortage);
  return obstacles[0] ?? null;
}

function makeRoom({ pod, others }: AdmissionView, { shortages }: PredicateFailures): Verdict {
  const [first] = shortages;
  if (!first) return { rejection: null, victims: [] };
  const plan = planPreemption(pod, others.pods(), shortages);
  if (plan.victims) return { rejection: null, victims: plan.victims, shortOf: first.resource };
  const message =
    'Unexpected error while attempting to recover from admission failure: ' + plan.fault;
  return { rejection: { reason: UNEXPECTED_ADMISSION_ERROR, message } };
}
