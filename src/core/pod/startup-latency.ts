/**
 * Measures the start-up latency of a pod, from its creation to the watch event that shows all containers
 * running.
 *
 *     untracked ──first seen without a startTime──> tracked ──all containers run──> measured
 *         └──unschedulable: excluded for good           └──ended, unschedulable: excluded
 *
 * 1. Each pod is measured at most once (SM-132).
 * 2. A pod that was first seen with a startTime is not measured: it was started before this process of
 *    podkeep, by an earlier one or by another kubelet (SM-130).
 * 3. The SLI excludes image pulls (overlapping pulls count once) and the run time of init containers. Pods
 *    with other volumes than configuration and emptyDir have no SLI (E-30).
 */
import type { Pod } from '../../api/pod.ts';
import { parseTime } from '../../api/values/time.ts';

export interface Pull {
  readonly beganAtMs: number;
  readonly endedAtMs: number;
}

export type StartupState = 'tracked' | 'measured' | 'excluded';

export interface StartupLatency {
  readonly totalSeconds: number;
  /** Null: the SLI does not cover the pod. */
  readonly sliSeconds: number | null;
  readonly hostNetwork: boolean;
}

export interface StartupObservation {
  readonly state: StartupState;
  /** Present once, when the state becomes `measured`. */
  readonly latency?: StartupLatency;
}

const COVERED_VOLUMES = ['secret', 'configMap', 'downwardAPI', 'emptyDir', 'projected'];

/** `state` is undefined for a pod that the watch shows for the first time. `nowMs`: when it did. */
export function observeStartup(
  state: StartupState | undefined,
  pod: Pod,
  pulls: readonly Pull[],
  nowMs: number,
): StartupObservation {
  const { status = {} } = pod;
  if (state === 'measured' || state === 'excluded') return { state };
  const hasEnded = status.phase === 'Failed' || status.phase === 'Succeeded';
  if (hasEnded || isUnschedulable(pod)) return { state: 'excluded' };
  if (state === undefined) return { state: status.startTime ? 'excluded' : 'tracked' };
  if (!isRunning(pod)) return { state };
  const totalMs = nowMs - msOf(pod.metadata.creationTimestamp, nowMs);
  const sliMs = totalMs - pullMs(pulls) - initMs(pod);
  return {
    state: 'measured',
    latency: {
      totalSeconds: totalMs / 1000,
      sliSeconds: isStateful(pod) ? null : sliMs / 1000,
      hostNetwork: pod.spec.hostNetwork ?? false,
    },
  };
}

/**
 * Every regular container runs (SM-131). An empty list proves nothing: the kubelet has not reported
 * containers yet.
 */
function isRunning({ status }: Pod): boolean {
  const statuses = status?.containerStatuses ?? [];
  return statuses.length > 0 && statuses.every(({ state }) => Boolean(state?.running?.startedAt));
}

function isUnschedulable({ status }: Pod): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: value, reason }) =>
      type === 'PodScheduled' && value === 'False' && reason === 'Unschedulable',
  );
}

/** The time in which at least one image was pulled. */
function pullMs(pulls: readonly Pull[]): number {
  let sum = 0;
  let coveredUntilMs = Number.NEGATIVE_INFINITY;
  for (const { beganAtMs, endedAtMs } of pulls.toSorted((a, b) => a.beganAtMs - b.beganAtMs)) {
    sum += Math.max(endedAtMs - Math.max(beganAtMs, coveredUntilMs), 0);
    coveredUntilMs = Math.max(coveredUntilMs, endedAtMs);
  }
  return sum;
}

function initMs({ status }: Pod): number {
  return (status?.initContainerStatuses ?? []).reduce((sum, { state }) => {
    const { startedAt, finishedAt } = state?.terminated ?? {};
    if (!startedAt || !finishedAt) return sum;
    return sum + Math.max(msOf(finishedAt, 0) - msOf(startedAt, 0), 0);
  }, 0);
}

function isStateful({ spec }: Pod): boolean {
  // The type of specs in core leaves volumes to the volume manager.
  const volumes = 'volumes' in spec && Array.isArray(spec.volumes) ? spec.volumes : [];
  return volumes.some(
    (volume: object) => !COVERED_VOLUMES.some((source) => Object.hasOwn(volume, source)),
  );
}

function msOf(time: string | null | undefined, otherwise: number): number {
  return time ? parseTime(time).ms : otherwise;
}
