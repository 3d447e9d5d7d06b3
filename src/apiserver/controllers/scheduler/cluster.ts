/**
 * The scheduler's cache: nodes, the pods on them, and the pods nominated to them. It is updated with each
 * change, so that scheduling a pod does not read every pod of the cluster.
 */
import type { Labels } from '../../../api/values/label-selector.ts';
import { POD_NETWORK_ANNOTATION, SHARED_POD_NETWORK } from '../../../api/node-annotations.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { objectsAt, valueAt } from '../../objects/field-path.ts';
import {
  readFlag,
  readNumber,
  readObject,
  readText,
  readTexts,
} from '../../../api/validation/json-reading.ts';
import { metadataOf, nameOf } from '../../objects/metadata.ts';
import { labelsOf } from '../../objects/object-labels.ts';
import { countAmounts, type Amounts } from './amounts.ts';
import { ImageSpread } from './image-spread.ts';
import { NodeLoad } from './node-load.ts';
import { interleaveZones } from './node-order.ts';
import { Nominations } from './nominations.ts';
import type { PodView } from './pod-view.ts';
import { readTaint, type Taint } from './taints.ts';

export interface NodeView {
  readonly name: string;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly isUnschedulable: boolean;
  /** True: ports that its pods declare are ports of the machine. */
  readonly sharesNetwork: boolean;
  readonly allocatable: Amounts;
  /** The size of each image in bytes, under each of its names. */
  readonly images: ReadonlyMap<string, number>;
  readonly load: NodeLoad;
}

export class Cluster {
  readonly #nodes = new Map<string, NodeView>();
  readonly #loads = new Map<string, NodeLoad>();
  readonly #pods = new Map<string, PodView>();
  readonly #antiAffinityPods = new Set<PodView>();
  readonly #namespaces = new Map<string, Labels>();
  /** How many bound pods use a claim, by namespace and name. */
  readonly #claimUsers = new Map<string, number>();
  readonly images = new ImageSpread();
  readonly nominations = new Nominations();
  #ordered: readonly NodeView[] | null = null;

  /** Zones alternate, so that any part of the list is a sample of all zones. */
  nodes(): readonly NodeView[] {
    this.#ordered ??= interleaveZones([...this.#nodes.values()]);
    return this.#ordered;
  }

  node(name: string): NodeView | undefined {
    return this.#nodes.get(name);
  }

  pod(key: string): PodView | undefined {
    return this.#pods.get(key);
  }

  /** Bound pods with required anti-affinity. */
  get antiAffinityPods(): ReadonlySet<PodView> {
    return this.#antiAffinityPods;
  }

  namespaceLabels(name: string): Labels {
    return this.#namespaces.get(name) ?? {};
  }

  isClaimUsed(namespace: string, claim: string): boolean {
    return this.#claimUsers.has(`${namespace}/${claim}`);
  }

  putNamespace(object: JsonObject): void {
    this.#namespaces.set(nameOf(object), labelsOf(object));
  }

  deleteNamespace(name: string): void {
    this.#namespaces.delete(name);
  }

  putNode(object: JsonObject): void {
    const name = nameOf(object);
    const load = this.#loads.get(name) ?? new NodeLoad();
    this.#loads.set(name, load);
    const node = viewNode(object, load);
    this.images.replace(this.#nodes.get(name), node);
    this.#nodes.set(name, node);
    this.#ordered = null;
  }

  deleteNode(name: string): void {
    const node = this.#nodes.get(name);
    if (node) this.images.replace(node, undefined);
    this.#nodes.delete(name);
    if (this.#loads.get(name)?.pods.size === 0) this.#loads.delete(name);
    this.#ordered = null;
  }

  /** `pod`: bound to a node. */
  putPod(pod: PodView): void {
    this.deletePod(pod.key);
    this.#pods.set(pod.key, pod);
    if (pod.antiAffinity.length > 0) this.#antiAffinityPods.add(pod);
    this.#countClaims(pod, 1);
    const load = this.#loads.get(pod.nodeName) ?? new NodeLoad();
    load.add(pod);
    this.#loads.set(pod.nodeName, load);
  }

  deletePod(key: string): void {
    const pod = this.#pods.get(key);
    if (!pod) return;
    this.#pods.delete(key);
    this.#antiAffinityPods.delete(pod);
    this.#countClaims(pod, -1);
    const load = this.#loads.get(pod.nodeName);
    load?.remove(pod);
    if (load?.pods.size === 0 && !this.#nodes.has(pod.nodeName)) this.#loads.delete(pod.nodeName);
  }

  #countClaims({ namespace, claimNames }: PodView, sign: 1 | -1): void {
    for (const claim of new Set(claimNames)) {
      const key = `${namespace}/${claim}`;
      const users = (this.#claimUsers.get(key) ?? 0) + sign;
      if (users > 0) this.#claimUsers.set(key, users);
      else this.#claimUsers.delete(key);
    }
  }
}

/** The parts of a node that the scheduler reads: everything but heartbeats. */
export function viewNode(object: JsonObject, load = new NodeLoad()): NodeView {
  const taints = objectsAt(object, 'spec.taints').map(readTaint);
  const annotations = readObject(metadataOf(object)['annotations']);
  return {
    name: nameOf(object),
    labels: labelsOf(object),
    taints: [...taints, ...unwritten(object, taints)],
    isUnschedulable: readFlag(valueAt(object, 'spec.unschedulable')),
    sharesNetwork: annotations?.[POD_NETWORK_ANNOTATION] === SHARED_POD_NETWORK,
    allocatable: countAmounts(valueAt(object, 'status.allocatable')),
    images: new Map(
      objectsAt(object, 'status.images').flatMap(({ names, sizeBytes }) =>
        readTexts(names).map((name) => [name, readNumber(sizeBytes)] as const),
      ),
    ),
    load,
  };
}

/**
 * The taints of a node that is not ready and that the node controller has not written yet. The scheduler
 * assumes them, so that no pod is placed there in between.
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
