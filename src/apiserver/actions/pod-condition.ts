/** Sets a condition of a pod on the server's own account, as the kubelet would write it. */
import type { PodCondition } from '../../api/pod.ts';
import {
  findCondition,
  replaceOrAppendCondition,
  withTransitionTime,
} from '../../api/condition.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { structAt } from '../kinds/field-path.ts';
import { readObjects } from '../kinds/validation/json-reading.ts';

export function withCondition(pod: JsonObject, condition: PodCondition, now: string): JsonObject {
  const status = structAt(pod, 'status');
  const conditions = readObjects(status['conditions']) as unknown as readonly PodCondition[];
  const old = findCondition(conditions, condition.type);
  const dated = withTransitionTime({ lastProbeTime: null, ...condition }, old, now);
  const changed = replaceOrAppendCondition(conditions, dated) as unknown as Json;
  return { ...pod, status: { ...status, conditions: changed } };
}
