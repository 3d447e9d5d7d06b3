/**
 * Clusters for comparing schedulers, from a seed: nodes with labels, taints, images and capacities, pods on
 * them, Services, volumes, and one pending pod with constraints that some nodes satisfy.
 */
import type { JsonObject } from '../../../src/lib/json.ts';
import { seededRandom } from '../../../src/platform/seeded-random.ts';

export interface GeneratedObject {
  /** Of the collection. */
  readonly path: string;
  readonly body: JsonObject & { readonly metadata: JsonObject & { readonly name: string } };
}

export interface GeneratedCluster {
  /** In the order in which they are to be created. */
  readonly storage: readonly GeneratedObject[];
  readonly nodes: readonly GeneratedObject[];
  readonly pods: readonly GeneratedObject[];
  readonly pending: GeneratedObject;
}

export const PRIORITY_CLASSES: Readonly<Record<string, number>> = {
  low: 10,
  middle: 100,
  high: 1000,
};
export const NAMESPACES: Readonly<Record<string, JsonObject>> = {
  default: { team: 'a' },
  other: { team: 'b' },
};

const ZONES = ['z1', 'z2', 'z3'];
const DISKS = ['ssd', 'hdd'];
const APPS = ['web', 'db', 'cache'];
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const IMAGES = ['app:1', 'db:2', 'tool:latest'];
const MIB = 1024 * 1024;
const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';

class Dice {
  readonly #random: { next(): number };

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  below(limit: number): number {
    return Math.floor(this.#random.next() * limit);
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  of<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('nothing to choose from');
    return item;
  }
}

export function generateCluster(seed: number): GeneratedCluster {
  const dice = new Dice(seed);
  const nodes = Array.from({ length: 1 + dice.below(7) }, (_, index) =>
    nodeOf(dice, `n${index}-${seed}`),
  );
  const names = nodes.map(({ body }) => body.metadata.name);
  const storage = storageOf(dice, seed, names);
  const podsMax = dice.chance(30) ? 24 : 10;
  const pods = Array.from({ length: dice.below(podsMax) }, (_, index) =>
    existingPod(dice, `p${index}-${seed}`, dice.of(names), index),
  );
  return { storage, nodes, pods, pending: pendingPod(dice, seed, names) };
}

function nodeOf(dice: Dice, name: string): GeneratedObject {
  const labels: Record<string, string> = { [HOST]: name };
  if (dice.chance(80)) labels[ZONE] = dice.of(ZONES);
  if (dice.chance(60)) labels['disk'] = dice.of(DISKS);
  if (dice.chance(40)) labels['gen'] = String(dice.below(9));
  const taints = dice.chance(35)
    ? [{ key: dice.of(['k1', 'k2']), value: dice.of(['', 'v']), effect: dice.of(EFFECTS) }]
    : [];
  const images = IMAGES.map((image, index) => ({
    names: [image],
    sizeBytes: (index + 1) * 170 * MIB,
  })).filter(() => dice.chance(40));
  const allocatable = {
    cpu: String(1 + dice.below(8)),
    memory: `${1 + dice.below(16)}Gi`,
    pods: String(dice.chance(15) ? 3 : 30),
    ...(dice.chance(20) && { 'example.com/gpu': '2' }),
  };
  return {
    path: '/api/v1/nodes',
    body: {
      metadata: { name, labels },
      spec: { ...(taints.length > 0 && { taints }), unschedulable: dice.chance(8) },
      status: {
        capacity: allocatable,
        allocatable,
        images,
        conditions: [{ type: 'Ready', status: 'True', reason: 'r', message: 'm' }],
      },
    },
  };
}

function existingPod(dice: Dice, name: string, node: string, index: number): GeneratedObject {
  const namespace = dice.chance(80) ? 'default' : 'other';
  const spec: Record<string, JsonObject[string]> = {
    ...containersOf(dice),
    nodeName: node,
    ...(dice.chance(60) && { priorityClassName: dice.of(['low', 'middle']) }),
  };
  if (dice.chance(25)) spec['affinity'] = { ...podAffinity(dice) };
  return {
    path: `/api/v1/namespaces/${namespace}/pods`,
    body: {
      metadata: { name, labels: { app: dice.of(APPS) } },
      spec,
      status: {
        phase: 'Running',
        startTime: `2026-01-01T00:${String(index).padStart(2, '0')}:00Z`,
      },
    },
  };
}

function containersOf(dice: Dice): JsonObject {
  const requests = (): JsonObject => ({
    ...(dice.chance(70) && { cpu: `${100 * (1 + dice.below(20))}m` }),
    ...(dice.chance(60) && { memory: `${128 * (1 + dice.below(20))}Mi` }),
    ...(dice.chance(5) && { 'example.com/gpu': '1' }),
  });
  const container = (name: string): JsonObject => {
    const own = requests();
    const gpu = own['example.com/gpu'];
    return {
      name,
      image: dice.of(IMAGES).replace(':latest', ''),
      resources: {
        requests: own,
        ...(gpu !== undefined && { limits: { 'example.com/gpu': gpu } }),
      },
      ...(name === 'c0' &&
        dice.chance(25) && {
          ports: [{ containerPort: 80, hostPort: 8000 + dice.below(3), protocol: 'TCP' }],
        }),
    };
  };
  return {
    containers: Array.from({ length: 1 + dice.below(2) }, (_, index) => container(`c${index}`)),
    ...(dice.chance(20) && { initContainers: [container('init')] }),
  };
}

function pendingPod(dice: Dice, seed: number, nodes: readonly string[]): GeneratedObject {
  const spec: Record<string, JsonObject[string]> = {
    ...containersOf(dice),
    schedulerName: 'reference',
    ...(dice.chance(60) && { priorityClassName: dice.of(Object.keys(PRIORITY_CLASSES)) }),
    ...(dice.chance(8) && { preemptionPolicy: 'Never', priorityClassName: 'never' }),
  };
  if (dice.chance(25)) spec['nodeSelector'] = { disk: dice.of(DISKS) };
  if (dice.chance(45)) {
    spec['tolerations'] = [
      {
        key: dice.of(['k1', 'k2']),
        operator: 'Exists',
        ...(dice.chance(50) && { effect: dice.of(EFFECTS) }),
      },
    ];
  }
  const affinity = {
    ...(dice.chance(40) && { nodeAffinity: nodeAffinity(dice, nodes) }),
    ...(dice.chance(50) && podAffinity(dice)),
  };
  if (Object.keys(affinity).length > 0) spec['affinity'] = affinity;
  if (dice.chance(40)) {
    spec['topologySpreadConstraints'] = Array.from({ length: 1 + dice.below(2) }, (_, index) =>
      spreadOf(dice, index === 0 ? ZONE : HOST),
    );
  }
  if (dice.chance(20)) {
    const claimName = `${dice.of(['bound', 'late', 'new', 'gone'])}-${seed}`;
    spec['volumes'] = [{ name: 'v', persistentVolumeClaim: { claimName } }];
  }
  return {
    path: '/api/v1/namespaces/default/pods',
    body: { metadata: { name: `pending-${seed}`, labels: { app: dice.of(APPS) } }, spec },
  };
}

function nodeAffinity(dice: Dice, nodes: readonly string[]): JsonObject {
  const expression = (): JsonObject =>
    dice.of([
      { key: 'disk', operator: 'In', values: [dice.of(DISKS)] },
      { key: 'disk', operator: 'NotIn', values: [dice.of(DISKS)] },
      { key: ZONE, operator: 'Exists' },
      { key: 'gen', operator: 'Gt', values: ['4'] },
      { key: 'gen', operator: 'DoesNotExist' },
    ]);
  const named = { key: 'metadata.name', operator: 'In', values: [dice.of(nodes)] };
  return {
    ...(dice.chance(40) && {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: dice.chance(20)
          ? [{ matchFields: [named] }]
          : [{ matchExpressions: [expression()] }, { matchExpressions: [expression()] }],
      },
    }),
    preferredDuringSchedulingIgnoredDuringExecution: [
      { weight: 1 + dice.below(50), preference: { matchExpressions: [expression()] } },
      { weight: 1 + dice.below(50), preference: { matchExpressions: [expression()] } },
    ],
  };
}

function podAffinity(dice: Dice): JsonObject {
  const term = (): JsonObject => ({
    topologyKey: dice.of([ZONE, HOST, 'disk']),
    labelSelector: { matchLabels: { app: dice.of(APPS) } },
    ...(dice.chance(20) && { namespaces: ['other'] }),
    ...(dice.chance(20) && { namespaceSelector: { matchLabels: { team: dice.of(['a', 'b']) } } }),
  });
  const weighted = (): JsonObject => ({ weight: 1 + dice.below(100), podAffinityTerm: term() });
  const rules = (requiredPercent: number): JsonObject => ({
    ...(dice.chance(requiredPercent) && {
      requiredDuringSchedulingIgnoredDuringExecution: [term()],
    }),
    ...(dice.chance(60) && { preferredDuringSchedulingIgnoredDuringExecution: [weighted()] }),
  });
  return {
    ...(dice.chance(60) && { podAffinity: rules(25) }),
    ...(dice.chance(60) && { podAntiAffinity: rules(30) }),
  };
}

function spreadOf(dice: Dice, topologyKey: string): JsonObject {
  const whenUnsatisfiable = dice.of(['DoNotSchedule', 'ScheduleAnyway']);
  return {
    maxSkew: 1 + dice.below(2),
    topologyKey,
    whenUnsatisfiable,
    labelSelector: { matchLabels: { app: dice.of(APPS) } },
    ...(dice.chance(20) && whenUnsatisfiable === 'DoNotSchedule' && { minDomains: 2 }),
    ...(dice.chance(20) && { nodeAffinityPolicy: 'Ignore' }),
    ...(dice.chance(20) && { nodeTaintsPolicy: 'Honor' }),
    ...(dice.chance(15) && { matchLabelKeys: ['tier'] }),
  };
}

/** Services, and claims: bound to a volume of one zone, waiting for a volume of one node, or for a new one. */
function storageOf(dice: Dice, seed: number, nodes: readonly string[]): readonly GeneratedObject[] {
  const objects: GeneratedObject[] = [];
  if (dice.chance(50)) {
    const name = `s-${seed}`;
    const spec = { selector: { app: dice.of(APPS) }, ports: [{ port: 80 }] };
    objects.push({
      path: '/api/v1/namespaces/default/services',
      body: { metadata: { name }, spec },
    });
  }
  const affinityTo = (key: string, value: string): JsonObject => ({
    required: {
      nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: [value] }] }],
    },
  });
  const volume = (name: string, more: JsonObject): GeneratedObject => ({
    path: '/api/v1/persistentvolumes',
    body: {
      metadata: { name },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        hostPath: { path: '/data' },
        ...more,
      },
      status: { phase: 'Available' },
    },
  });
  const claim = (
    name: string,
    more: JsonObject,
    annotations: JsonObject = {},
  ): GeneratedObject => ({
    path: '/api/v1/namespaces/default/persistentvolumeclaims',
    body: {
      metadata: { name, annotations },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        ...more,
      },
    },
  });
  const done = { 'pv.kubernetes.io/bind-completed': 'yes' };
  objects.push(
    volume(`bound-${seed}`, { nodeAffinity: affinityTo(ZONE, dice.of(ZONES)) }),
    claim(`bound-${seed}`, { volumeName: `bound-${seed}`, storageClassName: '' }, done),
    volume(`late-${seed}`, {
      storageClassName: 'late',
      nodeAffinity: affinityTo(HOST, dice.of(nodes)),
    }),
    claim(`late-${seed}`, { storageClassName: 'late' }),
    claim(`new-${seed}`, { storageClassName: 'new' }),
    // For the claim above, once a node is selected for it.
    volume(`new-${seed}`, { storageClassName: 'made' }),
  );
  return objects;
}
