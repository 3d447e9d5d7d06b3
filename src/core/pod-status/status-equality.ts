/**
 * Decides whether two normalized statuses are equal in everything that podkeep writes (SM-25).
 *
 * Compared: status, reason and message of every owned or shared condition, in both directions, so that a
 * removed condition is a change; and every other field. Not compared: foreign conditions, times in
 * conditions, and the claim statuses that other components write.
 */
import type { PodCondition, PodStatus } from '../../api/pod.ts';
import { semanticallyEqual } from '../../api/values/semantic-equal.ts';
import { structOf } from '../../api/schema/schema.ts';
import { isOwned, isShared } from './condition-ownership.ts';

const NOT_OURS: ReadonlySet<string> = new Set([
  'conditions',
  'resourceClaimStatuses',
  'extendedResourceClaimStatus',
  'nodeAllocatableResourceClaimStatuses',
]);

export function isStatusEqual(old: PodStatus, status: PodStatus): boolean {
  if (old === status) return true;
  return (
    areConditionsEqual(old.conditions, status.conditions) &&
    semanticallyEqual(old, status, structOf('core/v1.PodStatus'), NOT_OURS)
  );
}

function areConditionsEqual(
  old: readonly PodCondition[] | undefined,
  now: readonly PodCondition[] | undefined,
): boolean {
  if (old === now) return true;
  const before = ourConditions(old ?? []);
  const after = ourConditions(now ?? []);
  if (before.size !== after.size) return false;
  for (const [type, condition] of after) {
    const other = before.get(type);
    if (!other || !saysTheSame(other, condition)) return false;
  }
  return true;
}

function ourConditions(conditions: readonly PodCondition[]): ReadonlyMap<string, PodCondition> {
  const ours = conditions.filter(({ type }) => isOwned(type) || isShared(type));
  return new Map(ours.map((condition) => [condition.type, condition]));
}

function saysTheSame(a: PodCondition, b: PodCondition): boolean {
  return (
    a === b ||
    (a.status === b.status &&
      (a.reason ?? '') === (b.reason ?? '') &&
      (a.message ?? '') === (b.message ?? ''))
  );
}
