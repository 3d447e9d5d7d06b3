/**
 * Builds the answer of /podkeep/v1/node: the Node object as the node agent knows it, whether it is ready and
 * why not, and the number of its pods by phase.
 */
import { isConditionTrue } from '../../api/condition.ts';
import type { Pod } from '../../api/pod.ts';
import type { JsonObject } from '../../lib/json.ts';

export interface NodeFindings {
  /** Null: the API server has none, or it was not seen yet. */
  readonly node: JsonObject | null;
  /** Empty: the node is ready. */
  readonly notReadyReasons: readonly string[];
  readonly pressures: readonly string[];
  /** Further figures of the node's load; absent: none are measured. */
  readonly load?: JsonObject | undefined;
}

export function nodeReportOf(
  nodeName: string,
  { node, notReadyReasons, pressures, load }: NodeFindings,
  pods: readonly Pod[],
): JsonObject {
  return {
    kind: 'NodeReport',
    apiVersion: 'podkeep/v1',
    name: nodeName,
    ready: notReadyReasons.length === 0,
    notReadyReasons,
    pressures,
    pods: { total: pods.length, ready: pods.filter(isReady).length, byPhase: countPhases(pods) },
    ...(load && { load }),
    node,
  };
}

function isReady({ status }: Pod): boolean {
  return isConditionTrue(status?.conditions, 'Ready');
}

function countPhases(pods: readonly Pod[]): JsonObject {
  const counts: Record<string, number> = {};
  for (const { status } of pods) {
    const phase = status?.phase ?? 'Unknown';
    counts[phase] = (counts[phase] ?? 0) + 1;
  }
  return counts;
}
