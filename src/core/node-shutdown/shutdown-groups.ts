/**
 * Groups the pods of a node by priority for its graceful shutdown, and decides how much time each group has.
 *
 *     shutdownGracePeriodByPodPriority ──┐
 *     shutdownGracePeriod ───────────────┴──> periods, lowest priority first ──> groups of pods
 *     shutdownGracePeriodCriticalPods
 *
 * The two older fields result in two periods: one for regular pods, one for pods with a system-critical
 * priority. A pod belongs to the period with the highest priority that is not above the pod's priority; a pod
 * whose priority is below all of them belongs to the lowest period.
 *
 * Invariants:
 *   1. Every pod is in exactly one group, and a group without pods takes no time.
 *   2. A pod never gets more time than its group, nor more than its spec says.
 */
import type { Pod } from '../../api/pod.ts';
import { admissionSpecOf } from '../admission/admission-view.ts';

/** As in shutdownGracePeriodByPodPriority. */
export interface ShutdownPeriod {
  readonly priority: number;
  readonly shutdownGracePeriodSeconds: number;
}

export interface ShutdownSettings {
  readonly shutdownGracePeriodMs: number;
  readonly shutdownGracePeriodCriticalPodsMs: number;
  readonly shutdownGracePeriodByPodPriority: readonly ShutdownPeriod[];
}

export interface ShutdownGroup {
  readonly priority: number;
  /** Null: each pod has the grace period of its spec. */
  readonly graceSeconds: number | null;
  readonly pods: readonly Pod[];
}

const DEFAULT_PRIORITY = 0;
const SYSTEM_CRITICAL_PRIORITY = 2_000_000_000;
const GRACE_SECONDS = 30;
/** As killPodNow waits (PW-60). */
const OWN_WAIT_SECONDS_MIN = 10;
const UNMOUNT_SECONDS = 10;

/** Lowest priority first. Empty: the node has no graceful shutdown. */
export function shutdownPeriods(settings: ShutdownSettings): readonly ShutdownPeriod[] {
  const { shutdownGracePeriodByPodPriority: periods } = settings;
  if (periods.length > 0) return periods.toSorted((a, b) => a.priority - b.priority);
  const { shutdownGracePeriodMs: wholeMs, shutdownGracePeriodCriticalPodsMs: criticalMs } =
    settings;
  if (wholeMs === 0 || criticalMs > wholeMs) return [];
  return [
    {
      priority: DEFAULT_PRIORITY,
      shutdownGracePeriodSeconds: Math.trunc((wholeMs - criticalMs) / 1000),
    },
    {
      priority: SYSTEM_CRITICAL_PRIORITY,
      shutdownGracePeriodSeconds: Math.trunc(criticalMs / 1000),
    },
  ];
}

/** How long the whole shutdown may take: the time that logind has to wait. */
export function shutdownSeconds(periods: readonly ShutdownPeriod[]): number {
  return periods.reduce((sum, period) => sum + period.shutdownGracePeriodSeconds, 0);
}

/**
 * Lowest priority first, without empty groups. Without periods there is one group, in which each pod has
 * the grace period of its spec: a node that is drained ends its pods in any case.
 */
export function shutdownGroups(
  periods: readonly ShutdownPeriod[],
  pods: readonly Pod[],
): readonly ShutdownGroup[] {
  const groups =
    periods.length === 0
      ? [{ priority: DEFAULT_PRIORITY, graceSeconds: null, pods }]
      : periods.map(({ priority, shutdownGracePeriodSeconds: graceSeconds }, index) => ({
          priority,
          graceSeconds,
          pods: pods.filter((pod) => indexOf(periods, priorityOf(pod)) === index),
        }));
  return groups.filter((group) => group.pods.length > 0);
}

/** The grace period of one pod of the group. Undefined: that of its spec. */
export function shutdownGraceSeconds(
  { graceSeconds }: ShutdownGroup,
  pod: Pod,
): number | undefined {
  if (graceSeconds === null) return undefined;
  const { terminationGracePeriodSeconds: own } = pod.spec;
  return Math.min(own ?? graceSeconds, graceSeconds);
}

/**
 * How long to wait for the group before the next one begins. If each pod has the grace period of its spec,
 * this is the time that killing the slowest pod and unmounting its volumes may take.
 */
export function shutdownWaitSeconds({ graceSeconds, pods }: ShutdownGroup): number {
  if (graceSeconds !== null) return graceSeconds;
  const graces = pods.map(({ spec }) => spec.terminationGracePeriodSeconds ?? GRACE_SECONDS);
  const slowest = Math.max(...graces, 0);
  return Math.max(slowest + Math.trunc(slowest / 2), OWN_WAIT_SECONDS_MIN) + UNMOUNT_SECONDS;
}

function indexOf(periods: readonly ShutdownPeriod[], priority: number): number {
  // Of two equal priorities the first counts, as in the kubelet.
  const exact = periods.findIndex((period) => period.priority === priority);
  if (exact !== -1) return exact;
  return Math.max(periods.filter((period) => period.priority < priority).length - 1, 0);
}

function priorityOf(pod: Pod): number {
  return admissionSpecOf(pod).priority ?? DEFAULT_PRIORITY;
}
