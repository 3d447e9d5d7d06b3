/** Computes how long a pod tolerates the NoExecute taints of its node. */
import type { JsonObject } from '../../../lib/json.ts';
import { isGiven, readNumber } from '../../../api/validation/json-reading.ts';
import { tolerates, type Taint } from '../scheduler/taints.ts';

/** Zero: it does not tolerate them. Infinity: without time limit. */
export function toleranceSeconds(
  tolerations: readonly JsonObject[],
  taints: readonly Taint[],
): number {
  const sending = taints.filter(({ effect }) => effect === 'NoExecute');
  if (sending.length === 0) return Number.POSITIVE_INFINITY;
  const used = new Set<JsonObject>();
  for (const taint of sending) {
    const toleration = tolerations.find((one) => tolerates(one, taint));
    if (!toleration) return 0;
    used.add(toleration);
  }
  const limits = [...used].flatMap(({ tolerationSeconds }) =>
    isGiven(tolerationSeconds) ? Math.max(readNumber(tolerationSeconds), 0) : [],
  );
  return Math.min(Number.POSITIVE_INFINITY, ...limits);
}
