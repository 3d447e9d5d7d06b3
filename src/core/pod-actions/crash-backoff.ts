/**
 * Computes the crash-loop back-off: how long a crashed container waits before it is started again (KL-50 to
 * KL-53).
 *
 *     first restart immediately, then 10 s, 20 s, 40 s, 80 s, 160 s, 300 s, 300 s …
 *
 * The delay counts from the end of the last run. If that run ended more than ten minutes after it was
 * started, the container counts as healthy, and the back-off is reset. The caller keeps one BackOff per
 * container and passes it in.
 */
import { formatGoDuration } from '../../api/values/time-duration.ts';
import type { Container, Pod } from '../../api/pod.ts';

/** Milliseconds since the epoch. */
type Instant = number;

export interface BackOff {
  readonly delayMs: number;
  /** When the delay was last set, which is when the container was last started. */
  readonly advancedAt: Instant;
}

export interface BackOffLimits {
  readonly initialMs: number;
  readonly maxMs: number;
}

export const CRASH_BACKOFF: BackOffLimits = { initialMs: 10_000, maxMs: 300_000 };

/** This period is fixed, even if the longest delay is configured to be shorter (KL-52). */
const HEALTHY_AFTER_MS = 600_000;

/** `crashLoopBackOff.maxContainerRestartPeriod` sets the longest wait of a node (KL-53). */
export function crashBackOffLimits(maxMs: number): BackOffLimits {
  return { initialMs: Math.min(CRASH_BACKOFF.initialMs, maxMs), maxMs };
}

/** When the container may start again. Undefined: it need not wait. */
export function waitsUntil(
  backOff: BackOff | undefined,
  finishedAt: Instant,
  now: Instant,
): Instant | undefined {
  if (!backOff || isHealthyAgain(backOff, finishedAt)) return undefined;
  const until = finishedAt + backOff.delayMs;
  return now < until ? until : undefined;
}

/** The state after the container is started once more. */
export function advance(
  backOff: BackOff | undefined,
  finishedAt: Instant,
  now: Instant,
  { initialMs, maxMs }: BackOffLimits = CRASH_BACKOFF,
): BackOff {
  const delayMs =
    !backOff || isHealthyAgain(backOff, finishedAt)
      ? initialMs
      : Math.min(backOff.delayMs * 2, maxMs);
  return { delayMs, advancedAt: now };
}

/** True: the entry can be removed (KL-64, step 17). */
export function isBackOffExpired(backOff: BackOff, now: Instant): boolean {
  return isHealthyAgain(backOff, now);
}

/**
 * The key of a container's back-off: a container with another image or other resources begins a new one
 * (KL-52).
 */
export function backOffKey(pod: Pod, container: Container): string {
  const { name = '', namespace = '', uid = '' } = pod.metadata;
  const { image, resources } = container;
  const own = [container.name, image ?? '', JSON.stringify(resources ?? {})];
  return [name, namespace, uid, ...own].join('/');
}

/** The message beside the reason CrashLoopBackOff. */
export function backOffMessage(backOff: BackOff, pod: Pod, container: Container): string {
  const { name, namespace, uid } = pod.metadata;
  const delay = formatGoDuration(backOff.delayMs);
  return `back-off ${delay} restarting failed container=${container.name} pod=${name}_${namespace}(${uid})`;
}

function isHealthyAgain({ advancedAt }: BackOff, at: Instant): boolean {
  return at - advancedAt > HEALTHY_AFTER_MS;
}
