/** Sets a pod condition on behalf of the API server, in the form in which kubelets write conditions. */
import type { JsonObject } from '../../lib/json.ts';
import { objectsAt, structAt } from '../objects/field-path.ts';

export interface NewCondition extends JsonObject {
  readonly type: string;
  readonly status: string;
}

/** A condition whose status does not change keeps its lastTransitionTime (SM-23). */
export function withCondition(pod: JsonObject, condition: NewCondition, now: string): JsonObject {
  const conditions = objectsAt(pod, 'status.conditions');
  const index = conditions.findIndex(({ type }) => type === condition.type);
  const old = conditions[index];
  const isSame = old?.['status'] === condition.status;
  const lastTransitionTime = isSame ? (old['lastTransitionTime'] ?? null) : now;
  const dated = { lastProbeTime: null, ...condition, lastTransitionTime };
  const changed = old ? conditions.with(index, dated) : [...conditions, dated];
  return { ...pod, status: { ...structAt(pod, 'status'), conditions: changed } };
}
