/**
 * Computes the grace period of a pod in seconds (PW-45).
 *
 * Three sources may set it: the deletion in the API, an override in the kill of the pod (an eviction has
 * one), and, without these two, the pod's spec. Once a grace period was granted, a deletion or an override
 * can only shorten it, and a zero from either means "as fast as possible", never "as the spec says" (E-15).
 *
 * Invariants:
 *   1. The result is at least one second: zero would be SIGKILL without a warning.
 *   2. The result never exceeds a grace period that was granted before. Exception, as in Kubernetes' kubelet:
 *      if one request has a deletion with zero seconds and an override, the override is used.
 */

export interface GracePeriodRequest {
  /** The time granted so far. Zero: none yet. */
  readonly current: number;
  readonly deletionGracePeriodSeconds?: number | null | undefined;
  readonly gracePeriodOverride?: number | null | undefined;
  readonly terminationGracePeriodSeconds?: number | null | undefined;
}

export interface GracePeriod {
  readonly gracePeriod: number;
  /** A grace period was granted before, and this one differs: it must be passed to the stop in flight. */
  readonly shortened: boolean;
}

const GRACE_SECONDS_MIN = 1;

export function effectiveGracePeriod(request: GracePeriodRequest): GracePeriod {
  const { current, deletionGracePeriodSeconds, gracePeriodOverride } = request;
  let granted = current;
  let asked = false;
  for (const wish of [deletionGracePeriodSeconds, gracePeriodOverride]) {
    if (wish === undefined || wish === null) continue;
    if (granted !== 0 && wish >= granted) continue;
    granted = wish;
    asked = true;
  }
  if (granted === 0 && !asked) granted = request.terminationGracePeriodSeconds ?? 0;
  const gracePeriod = Math.max(granted, GRACE_SECONDS_MIN);
  return { gracePeriod, shortened: current !== 0 && gracePeriod !== current };
}
