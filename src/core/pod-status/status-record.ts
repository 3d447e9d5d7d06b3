/**
 * Decides how a new status changes the status manager's record of a pod (SM-20 to SM-29).
 *
 *     new status ──> valid? ──> dated ──> normalised ──> different? ──> stored, version + 1
 *                      └─ no: refused                        └─ no: unchanged
 *
 * Invariants:
 *   1. Versions only grow, by one each.
 *   2. A finished record stays finished, except a static pod's, which may start again (SM-21).
 *   3. The start time, once set, never changes; the observed generation never decreases.
 */
import { findCondition, withTransitionTime } from '../../api/condition.ts';
import type { Time } from '../../api/meta.ts';
import type { ContainerStatus, Pod, PodCondition, PodStatus } from '../../api/pod.ts';
import { mapShared, withFields } from '../../lib/share.ts';
import {
  DISRUPTION_TARGET,
  isOwned,
  RESIZE_IN_PROGRESS,
  RESIZE_PENDING,
} from './condition-ownership.ts';
import { checkContainerTransitions } from './container-transition.ts';
import { normalizeStatus } from './normalize-status.ts';
import { findStatus, isBeingDeleted, isStaticPod } from '../pod/pod-facts.ts';
import { isStatusEqual } from './status-equality.ts';

export interface StatusRecord {
  readonly version: number;
  readonly name: string;
  readonly namespace: string;
  readonly status: PodStatus;
  /** Nothing of the pod is left on the node: the API may delete it. */
  readonly isFinished: boolean;
}

export interface StatusUpdate {
  readonly pod: Pod;
  /** The mirror pod of a static pod. */
  readonly mirrorPod: Pod | undefined;
  readonly record: StatusRecord | undefined;
  readonly status: PodStatus;
  /** Store it even if it is unchanged. */
  readonly isForced: boolean;
  readonly isFinished: boolean;
  readonly now: Time;
}

/** A container that has ended since the previous status. */
export interface Termination {
  readonly containerType: 'init_container' | 'container' | 'ephemeral_container';
  readonly exitCode: number;
  readonly reason: string;
}

export type UpdateResult =
  | { readonly kind: 'refused'; readonly problem: string }
  | { readonly kind: 'unchanged'; readonly record: StatusRecord; readonly ended: Endings }
  | {
      readonly kind: 'stored';
      readonly record: StatusRecord;
      readonly ended: Endings;
      /** It is the first status of a pod that is not being deleted. */
      readonly isAdded: boolean;
    };

type Endings = readonly Termination[];

export function updateRecord(update: StatusUpdate): UpdateResult {
  const { pod, mirrorPod, record, isForced } = update;
  const old = record?.status ?? mirrorPod?.status ?? (mirrorPod ? {} : (pod.status ?? {}));
  const problem = checkContainerTransitions(pod.spec, old, update.status);
  if (problem !== null) return { kind: 'refused', problem };

  const status = normalizeStatus(pod, dateStatus(update.status, old, update.now));
  const ended = findEnded(old, status);
  if (record && !isForced && isStatusEqual(record.status, status)) {
    return { kind: 'unchanged', record, ended };
  }
  const { name = '', namespace = '' } = pod.metadata;
  const wasFinished = !isStaticPod(pod) && (record?.isFinished ?? false);
  return {
    kind: 'stored',
    record: {
      version: (record?.version ?? 0) + 1,
      name,
      namespace,
      status,
      isFinished: update.isFinished || wasFinished,
    },
    ended,
    isAdded: !record && !isBeingDeleted(pod),
  };
}

/** Transition times, start time and generation carry over from the old status (SM-23, SM-24). */
function dateStatus(status: PodStatus, old: PodStatus, now: Time): PodStatus {
  const generation = Math.max(old.observedGeneration ?? 0, status.observedGeneration ?? 0);
  const { conditions } = status;
  return withFields(status, {
    ...(conditions && {
      conditions: mapShared(conditions, (condition) => dateCondition(condition, old, now)),
    }),
    startTime: old.startTime || status.startTime || now,
    ...(generation > 0 && { observedGeneration: generation }),
  });
}

/** Resize conditions bring their own times (SM-99). */
function dateCondition(condition: PodCondition, old: PodStatus, now: Time): PodCondition {
  const { type } = condition;
  const isDatedElsewhere = type === RESIZE_PENDING || type === RESIZE_IN_PROGRESS;
  if (isDatedElsewhere || !(isOwned(type) || type === DISRUPTION_TARGET)) return condition;
  return withTransitionTime(condition, findCondition(old.conditions, type), now);
}

function findEnded(old: PodStatus, status: PodStatus): Endings {
  return [
    ...endedOf('init_container', old.initContainerStatuses, status.initContainerStatuses),
    ...endedOf('container', old.containerStatuses, status.containerStatuses),
    ...endedOf(
      'ephemeral_container',
      old.ephemeralContainerStatuses,
      status.ephemeralContainerStatuses,
    ),
  ];
}

function endedOf(
  containerType: Termination['containerType'],
  before: readonly ContainerStatus[] | undefined,
  after: readonly ContainerStatus[] | undefined,
): Endings {
  if (before === after) return [];
  return (after ?? []).flatMap(({ name, state }) => {
    const ended = state?.terminated;
    if (!ended || findStatus(before, name)?.state?.terminated) return [];
    return [{ containerType, exitCode: ended.exitCode, reason: ended.reason ?? '' }];
  });
}
