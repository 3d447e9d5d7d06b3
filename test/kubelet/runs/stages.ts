/**
 * The stages of a pod's life: its statuses, with everything that differs from run to run replaced by the
 * placeholders of the recordings.
 */
import type { ContainerState, ContainerStatus, PodStatus } from '../../../src/api/pod.ts';

/** A status in the recordings' form. */
export function harnessOf(status: PodStatus, uid: string): PodStatus {
  return JSON.parse(
    JSON.stringify(status, (key, value: unknown) => placeholder(key, value)).replaceAll(
      uid,
      '<uid>',
    ),
  ) as PodStatus;
}

function placeholder(key: string, value: unknown): unknown {
  if (TIMES.has(key) && typeof value === 'string') return '<time>';
  if (ADDRESSES.has(key) && value) return '<ip>';
  if (key === 'containerID' && value) return '<container-id>';
  if (key === 'imageID' && value) return '<sha256>';
  return value;
}

const TIMES = new Set(['lastTransitionTime', 'startTime', 'startedAt', 'finishedAt']);
const ADDRESSES = new Set(['ip', 'podIP', 'hostIP']);

/** Without neighbours that are the same. */
export function distinct<Item>(list: readonly Item[]): readonly Item[] {
  return list.filter((item, index) => {
    return index === 0 || JSON.stringify(item) !== JSON.stringify(list[index - 1]);
  });
}

/** Keys in order, without the zero values that Go prints. */
export function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .map(([key, each]) => [key, canonical(each)] as const)
    .filter(([, each]) => !isEmpty(each))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries);
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** For loops: the state of each container, its reason, and its restart count. */
export function loopStep({ containerStatuses = [] }: PodStatus): string {
  return containerStatuses.map(stepOf).join(' ');
}

function stepOf({ name, state, restartCount }: ContainerStatus): string {
  return `${name}:${wordOf(state ?? {})}:${restartCount}`;
}

function wordOf({ waiting, running, terminated }: ContainerState): string {
  if (waiting) return `waiting ${waiting.reason} ${waiting.message ?? ''}`;
  if (terminated) return `terminated ${terminated.reason} ${terminated.exitCode}`;
  return running ? 'running' : 'unknown';
}
