/**
 * How many seconds a container gets to stop, if nobody else decides it: the deletion's, else the
 * probe's that failed, else the pod's, else two. The API keeps a probe's seconds beside the pod's
 * for pods that have to be given up faster than they are deleted.
 */
import type { Pod } from '../../api/pod.ts';
import type { KillReason } from '../../core/pod-actions/plan.ts';
import type { RunContainer } from './run-spec.ts';

/** Less than this would be a kill without a warning (PW-46). */
export const STOP_SECONDS_MIN = 2;

export function stopGraceSeconds(
  pod: Pod,
  container: RunContainer | undefined,
  reason: KillReason | undefined,
): number {
  const deletion = pod.metadata.deletionGracePeriodSeconds ?? null;
  if (deletion !== null) return deletion;
  const own = pod.spec.terminationGracePeriodSeconds ?? null;
  if (own === null) return STOP_SECONDS_MIN;
  return probeGrace(container, reason) ?? own;
}

function probeGrace(
  container: RunContainer | undefined,
  reason: KillReason | undefined,
): number | undefined {
  if (reason === 'StartupProbe') return container?.startupProbe?.terminationGracePeriodSeconds;
  if (reason === 'LivenessProbe') return container?.livenessProbe?.terminationGracePeriodSeconds;
  return undefined;
}
