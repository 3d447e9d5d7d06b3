/**
 * Computes the grace period of a container if the caller sets none: that of the pod's deletion, else that of
 * the failed probe, else that of the pod's spec, else two seconds. A probe's grace period lets a container be
 * killed faster than its pod is deleted.
 */
import type { Pod } from '../../api/pod.ts';
import type { KillReason } from './plan.ts';
import type { RunContainer } from '../../api/run-spec.ts';

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
  const { startupProbe, livenessProbe } = container ?? {};
  const probe =
    reason === 'StartupProbe'
      ? startupProbe
      : reason === 'LivenessProbe'
        ? livenessProbe
        : undefined;
  const grace: unknown = probe?.terminationGracePeriodSeconds;
  // The embedded API server may send a bigint, for an integer beyond 2^53.
  return grace === undefined ? undefined : Number(grace);
}
