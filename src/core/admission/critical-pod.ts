/** Decides which pods are critical, and which pods a pod may preempt. */
import type { Pod } from '../../api/pod.ts';
import { isMirrorPod, isStaticPod } from '../pod/pod-facts.ts';
import { admissionSpecOf } from './admission-view.ts';

/** The priority of the classes system-cluster-critical and system-node-critical begins here. */
const SYSTEM_CRITICAL_PRIORITY = 2_000_000_000;

export function isCriticalPod(pod: Pod): boolean {
  if (isStaticPod(pod) || isMirrorPod(pod)) return true;
  const { priority } = admissionSpecOf(pod);
  return priority !== undefined && priority >= SYSTEM_CRITICAL_PRIORITY;
}

/**
 * A critical pod may preempt every pod that is not critical; otherwise the preemptor needs the higher
 * priority.
 */
export function mayPreempt(preemptor: Pod, victim: Pod): boolean {
  if (isCriticalPod(preemptor) && !isCriticalPod(victim)) return true;
  const [own, other] = [admissionSpecOf(preemptor).priority, admissionSpecOf(victim).priority];
  return own !== undefined && other !== undefined && own > other;
}
