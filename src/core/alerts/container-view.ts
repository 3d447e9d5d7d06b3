/**
 * Builds the containers of a pod as alert rules read them: every field is present, so a rule needs no `has`,
 * and restarts, readiness changes and OOM kills of the last ten minutes are counted.
 *
 * A status shows only the present. Flapping and repeated kills show in the difference of two statuses, so the
 * marks of a container record the times of these differences, at most 100 of each kind.
 */
import type { ContainerStatus, Pod } from '../../api/pod.ts';
import { parseTime } from '../../api/values/time.ts';

/** A type, and no interface: views are JSON. */
export type AlertedContainer = {
  readonly name: string;
  readonly image: string;
  readonly ready: boolean;
  readonly restartCount: number;
  /** `waiting`, `running`, `terminated`, or empty before the first status. */
  readonly state: string;
  readonly waitingReason: string;
  readonly waitingMessage: string;
  /** The reason of `state`, or else of `lastState`; empty: the container never terminated. */
  readonly terminatedReason: string;
  /** 0 if the container never terminated. */
  readonly exitCode: number;
  /** Within the last ten minutes. */
  readonly recentRestarts: number;
  readonly recentReadyChanges: number;
  readonly recentOomKills: number;
};

interface Marks {
  readonly ready: boolean;
  readonly restartCount: number;
  readonly finishedAt: string;
  /** Wall times. */
  readonly restarts: readonly number[];
  readonly readyChanges: readonly number[];
  readonly oomKills: readonly number[];
}

/** By name of the container. */
export type PodMarks = ReadonlyMap<string, Marks>;

export const RECENT_MS = 10 * 60_000;
const TIMES_MAX = 100;

export function viewContainers(
  pod: Pod,
  before: PodMarks | undefined,
  nowMs: number,
): { readonly views: readonly AlertedContainer[]; readonly marks: PodMarks } {
  const marks = new Map<string, Marks>();
  const views = statusesOf(pod).map((status) => {
    const mark = markOf(status, before?.get(status.name), nowMs);
    marks.set(status.name, mark);
    return viewOf(status, mark);
  });
  return { views, marks };
}

/** When the oldest counted event becomes older than ten minutes, so that a count falls; infinite: never. */
export function nextExpiry(marks: PodMarks): number {
  const times = [...marks.values()].flatMap(({ restarts, readyChanges, oomKills }) =>
    [restarts[0], readyChanges[0], oomKills[0]].filter((time) => time !== undefined),
  );
  return Math.min(...times) + RECENT_MS;
}

function statusesOf({ status }: Pod): readonly ContainerStatus[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}

function markOf(status: ContainerStatus, before: Marks | undefined, nowMs: number): Marks {
  const { ready = false, restartCount = 0 } = status;
  const ended = endedOf(status);
  const finishedAt = ended?.finishedAt ?? '';
  const isNewEnd = finishedAt !== '' && finishedAt !== before?.finishedAt;
  const endedMs = isNewEnd ? (timeOrNull(finishedAt) ?? nowMs) : nowMs;
  const isOom = isNewEnd && ended?.reason === 'OOMKilled';
  return {
    ready,
    restartCount,
    finishedAt,
    restarts: recent(before?.restarts, before && restartCount > before.restartCount, nowMs, nowMs),
    readyChanges: recent(before?.readyChanges, before && ready !== before.ready, nowMs, nowMs),
    oomKills: recent(before?.oomKills, isOom, Math.min(endedMs, nowMs), nowMs),
  };
}

function recent(
  times: readonly number[] = [],
  isNew: boolean | undefined,
  newMs: number,
  nowMs: number,
): readonly number[] {
  const all = isNew ? [...times, newMs] : times;
  return all.filter((time) => nowMs - time < RECENT_MS).slice(-TIMES_MAX);
}

function endedOf({ state, lastState }: ContainerStatus) {
  return state?.terminated ?? lastState?.terminated;
}

function viewOf(status: ContainerStatus, marks: Marks): AlertedContainer {
  const { state } = status;
  const ended = endedOf(status);
  return {
    name: status.name,
    image: status.image ?? '',
    ready: status.ready ?? false,
    restartCount: status.restartCount ?? 0,
    state: state?.waiting
      ? 'waiting'
      : state?.running
        ? 'running'
        : state?.terminated
          ? 'terminated'
          : '',
    waitingReason: state?.waiting?.reason ?? '',
    waitingMessage: state?.waiting?.message ?? '',
    terminatedReason: ended?.reason ?? '',
    exitCode: ended?.exitCode ?? 0,
    recentRestarts: marks.restarts.length,
    recentReadyChanges: marks.readyChanges.length,
    recentOomKills: marks.oomKills.length,
  };
}

function timeOrNull(text: string): number | null {
  try {
    return parseTime(text).ms;
  } catch {
    return null;
  }
}
