/** Sets a condition of a HorizontalPodAutoscaler. Reason and message are always updated. */
import { formatTime } from '../../../../api/values/time.ts';
import type { JsonObject } from '../../../../lib/json.ts';

export interface AutoscalerCondition {
  readonly type: 'AbleToScale' | 'ScalingActive' | 'ScalingLimited';
  readonly isTrue: boolean;
  readonly reason: string;
  readonly message: string;
}

export function withAutoscalerCondition(
  conditions: readonly JsonObject[],
  { type, isTrue, reason, message }: AutoscalerCondition,
  nowMs: number,
): readonly JsonObject[] {
  const status = isTrue ? 'True' : 'False';
  const old = conditions.find((one) => one['type'] === type);
  const isSame = old?.['status'] === status;
  const lastTransitionTime = (isSame && old['lastTransitionTime']) || formatTime(nowMs);
  const next = { type, status, lastTransitionTime, reason, message };
  return old ? conditions.map((one) => (one === old ? next : one)) : [...conditions, next];
}
