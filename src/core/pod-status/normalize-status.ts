/**
 * Normalizes a pod status: statuses are compared, stored and sent only in this form (SM-35 to SM-39).
 *
 *   messages  each termination message fits its share of 12 KiB, cut at a whole character (V-5)
 *   times     whole seconds
 *   order     regular and ephemeral statuses by name, init statuses as the spec lists them
 *
 * The API's copy of a status goes through the same function before it is compared with podkeep's; otherwise
 * the two would always differ.
 *
 * Invariants:
 *   1. Normalizing a normalized status changes nothing.
 *   2. For a status in this form, the same object is returned.
 */
import type {
  Pod,
  PodCondition,
  PodStatus,
  ContainerState,
  ContainerStatus,
} from '../../api/pod.ts';
import type { Time } from '../../api/meta.ts';
import { truncateToSeconds } from '../../api/values/time.ts';
import { mapShared, sortShared, withFields } from '../../lib/share.ts';
import { cutToBytes } from '../../lib/utf8.ts';

const TERMINATION_MESSAGES_BYTES_MAX = 12 * 1024;

export function normalizeStatus(pod: Pod, status: PodStatus): PodStatus {
  const bytesMax = messageBudget(pod);
  const normalizeList = (list: readonly ContainerStatus[]): readonly ContainerStatus[] =>
    mapShared(list, (container) => normalizeContainer(container, bytesMax));

  const { startTime, conditions, ...lists } = status;
  const fields: { -readonly [Name in keyof PodStatus]: PodStatus[Name] } = {};
  if (startTime) fields.startTime = truncateToSeconds(startTime);
  if (conditions) fields.conditions = mapShared(conditions, normalizeCondition);
  if (lists.containerStatuses) {
    fields.containerStatuses = sortShared(normalizeList(lists.containerStatuses), byName);
  }
  if (lists.initContainerStatuses) {
    fields.initContainerStatuses = inSpecOrder(pod, normalizeList(lists.initContainerStatuses));
  }
  if (lists.ephemeralContainerStatuses) {
    const ephemeral = normalizeList(lists.ephemeralContainerStatuses);
    fields.ephemeralContainerStatuses = sortShared(ephemeral, byName);
  }
  return withFields(status, fields);
}

/** Each container of the spec gets an equal share of what the API stores per pod (SM-35). */
function messageBudget({ spec }: Pod): number {
  const count =
    spec.containers.length +
    (spec.initContainers?.length ?? 0) +
    (spec.ephemeralContainers?.length ?? 0);
  return count === 0
    ? TERMINATION_MESSAGES_BYTES_MAX
    : Math.floor(TERMINATION_MESSAGES_BYTES_MAX / count);
}

function normalizeCondition(condition: PodCondition): PodCondition {
  const { lastProbeTime, lastTransitionTime } = condition;
  return withFields(condition, {
    ...(lastProbeTime ? { lastProbeTime: truncateToSeconds(lastProbeTime) } : undefined),
    ...(lastTransitionTime
      ? { lastTransitionTime: truncateToSeconds(lastTransitionTime) }
      : undefined),
  });
}

function normalizeContainer(container: ContainerStatus, bytesMax: number): ContainerStatus {
  const { state, lastState } = container;
  return withFields(container, {
    ...(state ? { state: normalizeState(state, bytesMax) } : undefined),
    ...(lastState ? { lastState: normalizeState(lastState, bytesMax) } : undefined),
  });
}

function normalizeState(state: ContainerState, bytesMax: number): ContainerState {
  const { running, terminated } = state;
  return withFields(state, {
    ...(running ? { running: withFields(running, wholeTimes(running)) } : undefined),
    ...(terminated
      ? {
          terminated: withFields(terminated, {
            ...(terminated.message
              ? { message: cutToBytes(terminated.message, bytesMax) }
              : undefined),
            ...wholeTimes(terminated),
          }),
        }
      : undefined),
  });
}

interface Times {
  readonly startedAt?: Time | null;
  readonly finishedAt?: Time | null;
}

function wholeTimes({ startedAt, finishedAt }: Times): Times {
  return {
    ...(startedAt ? { startedAt: truncateToSeconds(startedAt) } : undefined),
    ...(finishedAt ? { finishedAt: truncateToSeconds(finishedAt) } : undefined),
  };
}

function byName(a: ContainerStatus, b: ContainerStatus): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** Moves each status to its position in the spec; those that the spec does not name come last (SM-38). */
function inSpecOrder(pod: Pod, statuses: readonly ContainerStatus[]): readonly ContainerStatus[] {
  const ordered = [...statuses];
  let place = 0;
  for (const { name } of pod.spec.initContainers ?? []) {
    const found = ordered.findIndex((status, index) => index >= place && status.name === name);
    if (found < 0) continue;
    const [here, there] = [ordered[place], ordered[found]];
    if (here && there) [ordered[place], ordered[found]] = [there, here];
    place += 1;
  }
  return ordered.every((status, index) => status === statuses[index]) ? statuses : ordered;
}
