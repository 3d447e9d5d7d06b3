/**
 * How many seconds a pod gets to stop (PW-45).
 *
 * Three voices may ask for a time: the deletion in the API, the one who kills the pod, and, if
 * neither spoke, the pod's own spec. Deletion and override can only shorten what was granted
 * before, and a zero from either means "as fast as possible", never "as the spec says" (E-15).
 *
 * Invariants:
 *   1. The answer is at least one second: zero would be SIGKILL without a warning.
 *   2. Once a time was granted, the answer never exceeds it; save that a deletion of zero seconds and
 *      an override in one request give the override, as the kubelet has it.
 */

export interface GracePeriodRequest {
  /** What was granted so far; zero before anyone asked. */
  readonly current: number;
  readonly deletionGracePeriodSeconds?: number | null | undefined;
  readonly gracePeriodOverride?: number | null | undefined;
  readonly terminationGracePeriodSeconds?: number | null | undefined;
}

export interface GracePeriod {
  readonly gracePeriod: number;
  /** A time was granted before, and this one differs: whoever waits must be told. */
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
