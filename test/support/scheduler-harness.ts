/** Nodes, pods and storage for the pure decisions of the scheduler, without a store. */
import type { Cluster } from '../../src/apiserver/controllers/scheduler/cluster.ts';
import type { PlacementDeps } from '../../src/apiserver/controllers/scheduler/placement.ts';
import { viewPod, type PodView } from '../../src/apiserver/controllers/scheduler/pod-view.ts';
import type { StorageReader } from '../../src/apiserver/controllers/scheduler/storage/storage-reader.ts';
import type { JsonObject } from '../../src/lib/json.ts';

export interface PodShape {
  readonly labels?: JsonObject;
  readonly namespace?: string;
  readonly requests?: JsonObject;
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
  readonly isLeaving?: boolean;
}

export function schedulerPod(name: string, shape: PodShape = {}): PodView {
  const { labels = {}, namespace = 'default', requests = {}, spec, status, isLeaving } = shape;
  const containers = [{ name: 'c', image: 'app', resources: { requests } }];
  const leaving = isLeaving ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {};
  return viewPod(`/core/pods/${namespace}/${name}`, {
    metadata: { name, namespace, uid: `uid-${name}`, labels, ...leaving },
    spec: { containers, ...spec },
    ...(status && { status }),
  });
}

export interface NodeShape {
  readonly labels?: JsonObject;
  readonly taints?: readonly JsonObject[];
  readonly allocatable?: JsonObject;
  readonly images?: readonly JsonObject[];
}

export function schedulerNode(name: string, shape: NodeShape = {}): JsonObject {
  const { labels = {}, taints = [], images = [] } = shape;
  const allocatable = { cpu: '4', memory: '8Gi', pods: '10', ...shape.allocatable };
  return {
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec: { taints: [...taints] },
    status: { allocatable, images: [...images], conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

export function addToNode(
  cluster: Cluster,
  node: string,
  name: string,
  shape: PodShape = {},
): void {
  cluster.putPod(schedulerPod(name, { ...shape, spec: { ...shape.spec, nodeName: node } }));
}

/** Objects by kind and name: `claims: { 'default/data': … }`. */
export interface StorageShape {
  readonly claims?: Readonly<Record<string, JsonObject>>;
  readonly volumes?: Readonly<Record<string, JsonObject>>;
  readonly classes?: Readonly<Record<string, JsonObject>>;
  readonly csiNodes?: Readonly<Record<string, JsonObject>>;
  readonly drivers?: Readonly<Record<string, JsonObject>>;
  readonly capacities?: readonly JsonObject[];
  readonly attachments?: readonly JsonObject[];
  /** The only node on which provisioners create volumes; absent: they do on all. */
  readonly localNode?: string;
}

export function memoryStorage(shape: StorageShape = {}): StorageReader {
  return {
    claim: (namespace, name) => shape.claims?.[`${namespace}/${name}`],
    volume: (name) => shape.volumes?.[name],
    volumes: () => Object.values(shape.volumes ?? {}),
    storageClass: (name) => shape.classes?.[name],
    csiNode: (name) => shape.csiNodes?.[name],
    csiDriver: (name) => shape.drivers?.[name],
    capacities: () => shape.capacities ?? [],
    attachments: () => shape.attachments ?? [],
    canProvision: (_, node) => shape.localNode === undefined || shape.localNode === node,
  };
}

export function placementDeps(cluster: Cluster, more: Partial<PlacementDeps> = {}): PlacementDeps {
  return {
    cluster,
    storage: memoryStorage(),
    promises: { volumes: new Set(), nodes: new Map() },
    budgets: () => [],
    defaultSelector: () => [],
    chance: () => 0,
    start: { index: 0 },
    ...more,
  };
}
