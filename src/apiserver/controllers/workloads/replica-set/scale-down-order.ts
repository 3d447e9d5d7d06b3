/**
 * Orders the pods of a ReplicaSet for scale-down, the least valuable first.
 *
 * Criteria: pods without a node, then pending, then not ready; lower deletion cost; more pods of the same
 * owner on the node; ready or created more recently (compared on a logarithmic scale); more restarts.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { textAt } from '../../../objects/field-path.ts';
import { metadataOf, textOf } from '../../../objects/metadata.ts';
import { readStruct } from '../../../../api/validation/json-reading.ts';
import { uidOf } from '../../garbage/owner-reference.ts';
import { restartsOf } from '../shared/pod-control.ts';
import { createdMs, isPodActive, isPodReady, podReadySinceMs } from '../shared/pod-state.ts';

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const PHASES: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };
const NANOS_PER_MS = 1_000_000;

interface Ranked {
  readonly pod: JsonObject;
  readonly neighbours: number;
}

/** `related`: the pods of all ReplicaSets with the same owner, including these. */
export function scaleDownOrder(
  pods: readonly JsonObject[],
  related: readonly JsonObject[],
  nowMs: number,
): readonly JsonObject[] {
  const onNode = new Map<string, number>();
  for (const pod of related) {
    if (!isPodActive(pod)) continue;
    const node = textAt(pod, 'spec.nodeName');
    onNode.set(node, (onNode.get(node) ?? 0) + 1);
  }
  return pods
    .map((pod) => ({ pod, neighbours: onNode.get(textAt(pod, 'spec.nodeName')) ?? 0 }))
    .sort((a, b) => compare(a, b, nowMs))
    .map(({ pod }) => pod);
}

function compare(a: Ranked, b: Ranked, nowMs: number): number {
  const ready = [isPodReady(a.pod), isPodReady(b.pod)] as const;
  return (
    Number(hasNode(a.pod)) - Number(hasNode(b.pod)) ||
    phaseRank(a.pod) - phaseRank(b.pod) ||
    Number(ready[0]) - Number(ready[1]) ||
    deletionCost(a.pod) - deletionCost(b.pod) ||
    b.neighbours - a.neighbours ||
    (ready[0] && ready[1] ? younger(a.pod, b.pod, podReadySinceMs, nowMs) : 0) ||
    restartsOf(b.pod) - restartsOf(a.pod) ||
    younger(a.pod, b.pod, createdMs, nowMs)
  );
}

function hasNode(pod: JsonObject): boolean {
  return textAt(pod, 'spec.nodeName') !== '';
}

function phaseRank(pod: JsonObject): number {
  return PHASES[textAt(pod, 'status.phase')] ?? 0;
}

function deletionCost(pod: JsonObject): number {
  const text = textOf(readStruct(metadataOf(pod)['annotations'])[DELETION_COST]);
  return /^-?(?:0|[1-9][0-9]*)$/.test(text) ? Number(text) : 0;
}

/** Ages within the same power of two are ordered by UID. */
function younger(
  a: JsonObject,
  b: JsonObject,
  time: (pod: JsonObject) => number,
  nowMs: number,
): number {
  const [left, right] = [time(a), time(b)];
  if (left === right) return 0;
  if (left === 0 || right === 0) return left - right;
  const steps = ageStep(nowMs - left) - ageStep(nowMs - right);
  return steps === 0 ? (uidOf(a) < uidOf(b) ? -1 : 1) : steps;
}

function ageStep(ms: number): number {
  return ms > 0 ? Math.floor(Math.log2(ms * NANOS_PER_MS)) : -1;
}
