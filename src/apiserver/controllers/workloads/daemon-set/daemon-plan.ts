/**
 * Decides which pods a DaemonSet creates and deletes so that every eligible node has exactly one.
 *
 *     node eligible, no pod ─────────────> create
 *     failed or succeeded ───────────────> delete; the next sync creates another (failed ones after a back-off)
 *     more than one ─────────────────────> delete all but the oldest; with surge, an old and a new pod may coexist
 *     node no longer eligible ───────────> delete
 *     pod for a node that does not exist > delete, unless it is bound: the pod garbage collector deletes it
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { nameOf } from '../../../objects/metadata.ts';
import { labelsOf } from '../../../objects/object-labels.ts';
import { numberAt, textAt, valueAt } from '../../../objects/field-path.ts';
import { isBeingDeleted } from '../../garbage/owner-reference.ts';
import { scaledAmount } from '../shared/amounts-of-replicas.ts';
import { createdMs, isPodAvailable, isPodDone, isPodReady } from '../shared/pod-state.ts';
import { REVISION_LABEL } from '../shared/revision-data.ts';
import { targetNodeOf } from './daemon-pod.ts';
import type { NodeFit } from './node-fit.ts';

export interface DaemonNode {
  readonly name: string;
  readonly fit: NodeFit;
  /** Pods on the node, or waiting to be bound to it. */
  readonly pods: readonly JsonObject[];
}

export interface DaemonView {
  readonly set: JsonObject;
  readonly nodes: readonly DaemonNode[];
  /** Pods for nodes that do not exist. */
  readonly strays: readonly JsonObject[];
  /** The hash of the current revision. */
  readonly hash: string;
  readonly nowMs: number;
}

export interface DaemonPlan {
  /** The names of the nodes that get a pod. */
  readonly create: readonly string[];
  readonly remove: readonly JsonObject[];
  /** The finished pods among the removed ones: they need a back-off and an Event. */
  readonly ended: readonly { readonly pod: JsonObject; readonly node: string }[];
}

/** Nodes sorted by name. A finished pod that is being deleted is not counted. */
export function viewNodes(
  nodes: readonly JsonObject[],
  pods: readonly JsonObject[],
  fitOf: (node: JsonObject) => NodeFit,
): Pick<DaemonView, 'nodes' | 'strays'> {
  const byNode = new Map<string, JsonObject[]>();
  for (const pod of pods) {
    const node = targetNodeOf(pod);
    if (node === null || (isPodDone(pod) && isBeingDeleted(pod))) continue;
    const found = byNode.get(node);
    if (found) found.push(pod);
    else byNode.set(node, [pod]);
  }
  const known = new Set(nodes.map(nameOf));
  return {
    nodes: nodes.map((node) => ({
      name: nameOf(node),
      fit: fitOf(node),
      pods: (byNode.get(nameOf(node)) ?? []).toSorted(olderFirst),
    })),
    strays: [...byNode].flatMap(([name, own]) => (known.has(name) ? [] : own)),
  };
}

/** `isHeld`: the failed pod of this node may not be deleted yet. */
export function planDaemons(view: DaemonView, isHeld: (node: string) => boolean): DaemonPlan {
  const plans = view.nodes.map((node) => planNode(view, node, isHeld));
  const unbound = view.strays.filter((pod) => textAt(pod, 'spec.nodeName') === '');
  return {
    create: plans.flatMap(({ create }) => create),
    remove: [...plans.flatMap(({ remove }) => remove), ...unbound.filter(isStaying)],
    ended: plans.flatMap(({ ended }) => ended),
  };
}

export function minReadyOfDaemon(set: JsonObject): number {
  return numberAt(set, 'spec.minReadySeconds');
}

/** `maxSurge` of `spec.updateStrategy.rollingUpdate`, rounded up. 0 with OnDelete. */
export function surgeOf(set: JsonObject, nodes: number): number {
  return scaledAmount(valueAt(set, 'spec.updateStrategy.rollingUpdate.maxSurge'), nodes, 'up');
}

function planNode(
  view: DaemonView,
  { name, fit, pods }: DaemonNode,
  isHeld: (node: string) => boolean,
): DaemonPlan {
  if (fit.mayStart && pods.length === 0) return { create: [name], remove: [], ended: [] };
  const staying = pods.filter(isStaying);
  if (!fit.mayStay) return { create: [], remove: staying, ended: [] };
  const ended = staying.filter(
    (pod) => isPodDone(pod) && !(textAt(pod, 'status.phase') === 'Failed' && isHeld(name)),
  );
  const running = staying.filter((pod) => !isPodDone(pod));
  const hasSurge = surgeOf(view.set, 1) > 0;
  const extra = hasSurge ? surgeExtras(view, running) : running.slice(1);
  const isEmpty = hasSurge && running.length === 0 && fit.mayStart;
  return {
    create: isEmpty ? [name] : [],
    remove: [...ended, ...extra],
    ended: ended.map((pod) => ({ pod, node: name })),
  };
}

/** An old pod stays beside a new one as long as the old one is ready and the new one is not available. */
function surgeExtras({ set, hash, nowMs }: DaemonView, running: readonly JsonObject[]) {
  if (running.length < 2) return [];
  const isNew = (pod: JsonObject): boolean => labelsOf(pod)[REVISION_LABEL] === hash;
  const [newPod, oldPod] = [running.find(isNew), running.find((pod) => !isNew(pod))];
  const extras = running.filter((pod) => pod !== newPod && pod !== oldPod);
  if (!newPod || !oldPod) return extras;
  const isReplaced = !isPodReady(oldPod) || isPodAvailable(newPod, minReadyOfDaemon(set), nowMs);
  return isReplaced ? [...extras, oldPod] : extras;
}

function isStaying(pod: JsonObject): boolean {
  return !isBeingDeleted(pod);
}

/** Bound pods first, then by age. */
function olderFirst(a: JsonObject, b: JsonObject): number {
  const isBound = (pod: JsonObject): boolean => textAt(pod, 'spec.nodeName') !== '';
  return (
    Number(isBound(b)) - Number(isBound(a)) ||
    createdMs(a) - createdMs(b) ||
    (nameOf(a) < nameOf(b) ? -1 : 1)
  );
}
