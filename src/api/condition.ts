/**
 * Finds, replaces and appends conditions in a list that has at most one of each type, in an order that
 * carries no meaning.
 */
import type { PodCondition } from './pod.ts';
import type { Time } from './meta.ts';

type Conditions = readonly PodCondition[] | undefined;

export function findCondition(conditions: Conditions, type: string): PodCondition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function isConditionTrue(conditions: Conditions, type: string): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

/** Replaces the condition of the same type in place, else appends `condition`. */
export function replaceOrAppendCondition(
  conditions: Conditions,
  condition: PodCondition,
): readonly PodCondition[] {
  if (!conditions) return [condition];
  const index = conditions.findIndex(({ type }) => type === condition.type);
  if (index < 0) return [...conditions, condition];
  return conditions[index] === condition ? conditions : conditions.with(index, condition);
}

/**
 * Sets lastTransitionTime: the old condition's time while the status stays the same, even if reason or
 * message change (SM-23).
 */
export function withTransitionTime(
  condition: PodCondition,
  old: PodCondition | undefined,
  now: Time,
): PodCondition {
  const time = old && old.status === condition.status ? (old.lastTransitionTime ?? null) : now;
  if ((condition.lastTransitionTime ?? null) === time) return condition;
  return { ...condition, lastTransitionTime: time };
}
