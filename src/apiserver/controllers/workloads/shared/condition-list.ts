/** Sets conditions of workloads. A condition whose status and reason do not change is left unchanged. */
import type { Json, JsonObject } from '../../../../lib/json.ts';

export interface WorkloadCondition extends JsonObject {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export function workloadConditionOf(
  conditions: readonly JsonObject[],
  type: string,
): JsonObject | undefined {
  return conditions.find((one) => one['type'] === type);
}

/**
 * Sets a condition unless status and reason stay the same. If the status stays the same, so does
 * lastTransitionTime.
 */
export function setCondition(
  conditions: readonly JsonObject[],
  condition: WorkloadCondition,
  now: string,
  extra: Readonly<Record<string, Json>> = {},
): readonly JsonObject[] {
  const old = workloadConditionOf(conditions, condition.type);
  const isSameStatus = old?.['status'] === condition.status;
  if (isSameStatus && old['reason'] === condition.reason) return conditions;
  const since = isSameStatus ? (old['lastTransitionTime'] ?? now) : now;
  const dated = { ...condition, ...extra, lastTransitionTime: since };
  return [...removeCondition(conditions, condition.type), dated];
}

export function removeCondition(
  conditions: readonly JsonObject[],
  type: string,
): readonly JsonObject[] {
  return conditions.some((one) => one['type'] === type)
    ? conditions.filter((one) => one['type'] !== type)
    : conditions;
}
