/**
 * Nodes, and what is on them: kept up to date change by change, so that looking for a node does not
 * mean reading every pod of the cluster.
 */
import type { Labels } from '../../../api/label-selector.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { objectsAt, valueAt } from '../../kinds/field-path.ts';
import { readFlag, readText } from '../../kinds/validation/json-reading.ts';
import { nameOf } from '../../metadata.ts';
import { labelsOf } from '../object-labels.ts';
import { countAmounts, type Amounts } from './amounts.ts';
import type { PodView } from './pod-view.ts';
import { readTaint, type Taint } from './taints.ts';

export interface NodeView {
  readonly name: string;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly isUnschedulable: boolean;
  readonly allocatable: Amounts;
  readonly load: Load;
}

/** What the pods of a node ask for together. */
export interface Load {
  readonly pods: ReadonlyMap<string, PodView>;
  readonly requested: Amounts;
  readonly assumed: Amounts;
}

type OwnNode = Omit<NodeView, 'load'>;

class GrowingLoad implements Load {
  readonly pods = new Map<string, PodView>();
  readonly requested = new Map<string, bigint>();
  readonly assumed = new Map<string, bigint>();

  add(pod: PodView): void {
    this.pods.set(pod.key, pod);
    count(this.requested, pod.requests, 1n);
    count(this.assumed, pod.assumed, 1n);
  }

  remove(pod: PodView): void {
    this.pods.delete(pod.key);
    count(this.requested, pod.requests, -1n);
    count(this.assumed, pod.assumed, -1n);
  }
}

function count(totals: Map<string, bigint>, amounts: Amounts, sign: bigint): void {
  for (const [name, amount] of amounts) totals.set(name, (totals.get(name) ?? 0n) + amount * sign);
}

const NO_LOAD: Load = new GrowingLoad();

export class Cluster {
  readonly #nodes = new Map<string, OwnNode>();
  readonly #loads = new Map<string, GrowingLoad>();
  readonly #pods = new Map<string, PodView>();
  readonly #keepers = new Set<PodView>();
  readonly #namespaces = new Map<string, Labels>();

  nodes(): readonly NodeView[] {
    return [...this.#nodes.values()].map((node) => ({
      ...node,
      load: this.#loads.get(node.name) ?? NO_LOAD,
    }));
  }

  /** Pods on nodes that want others to keep away. */
  get keepers(): ReadonlySet<PodView> {
    return this.#keepers;
  }

  namespaceLabels(name: string): Labels {
    return this.#namespaces.get(name) ?? {};
  }

  putNamespace(object: JsonObject): void {
    this.#namespaces.set(nameOf(object), labelsOf(object));
  }

  deleteNamespace(name: string): void {
    this.#namespaces.delete(name);
  }

  putNode(object: JsonObject): void {
    const node = viewNode(object);
    this.#nodes.set(node.name, node);
  }

  deleteNode(name: string): void {
    this.#nodes.delete(name);
  }

  /** A pod that has a node. */
  putPod(pod: PodView): void {
    this.deletePod(pod.key);
    this.#pods.set(pod.key, pod);
    if (pod.antiAffinity.length > 0) this.#keepers.add(pod);
    const load = this.#loads.get(pod.nodeName) ?? new GrowingLoad();
    load.add(pod);
    this.#loads.set(pod.nodeName, load);
  }

  deletePod(key: string): void {
    const pod = this.#pods.get(key);
    if (!pod) return;
    this.#pods.delete(key);
    this.#keepers.delete(pod);
    const load = this.#loads.get(pod.nodeName);
    load?.remove(pod);
    if (load?.pods.size === 0) this.#loads.delete(pod.nodeName);
  }
}

/** What matters of a node to the scheduler. Heartbeats do not. */
export function viewNode(object: JsonObject): OwnNode {
  const taints = objectsAt(object, 'spec.taints').map(readTaint);
  return {
    name: nameOf(object),
    labels: labelsOf(object),
    taints: [...taints, ...unwritten(object, taints)],
    isUnschedulable: readFlag(valueAt(object, 'spec.unschedulable')),
    allocatable: countAmounts(valueAt(object, 'status.allocatable')),
  };
}

/**
 * A node that is not ready has a taint that says so, as soon as somebody has put it there. Until then
 * it is as if it had: no pod should be quicker than that.
 */
function unwritten(node: JsonObject, taints: readonly Taint[]): readonly Taint[] {
  const ready = objectsAt(node, 'status.conditions').find(({ type }) => type === 'Ready');
  const status = readText(ready?.['status']);
  if (status === 'True') return [];
  const name = status === 'Unknown' ? 'unreachable' : 'not-ready';
  const key = `node.kubernetes.io/${name}`;
  return taints.some((taint) => taint.key === key)
    ? []
    : [{ key, value: '', effect: 'NoSchedule' }];
}
