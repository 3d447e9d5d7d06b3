/** The kinds that random writes are made for: what their objects may have, and what they must. */
import type { Json, JsonObject } from '../../../src/lib/json.ts';
import type { Dice, RandomKind } from './random-writes.ts';

export const WIDGETS: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.lab.example.com' },
  spec: {
    group: 'lab.example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: widgetSpec(), status: widgetStatus() },
          },
        },
      },
    ],
  },
};

function listOf(items: JsonObject, type: 'atomic' | 'set' | 'map', keys?: readonly string[]): Json {
  return {
    type: 'array',
    items,
    'x-kubernetes-list-type': type,
    ...(keys && { 'x-kubernetes-list-map-keys': keys }),
  };
}

function widgetSpec(): JsonObject {
  const text = { type: 'string' };
  const port = {
    type: 'object',
    required: ['name'],
    properties: { name: text, port: { type: 'integer', maximum: 100 }, note: text },
  };
  const pair = { type: 'object', properties: { a: text, b: text } };
  return {
    type: 'object',
    properties: {
      replicas: { type: 'integer', minimum: 0 },
      big: { type: 'integer', format: 'int64' },
      kept: { type: 'string', default: 'as it is' },
      ports: listOf(port, 'map', ['name']),
      tags: listOf(text, 'set'),
      numbers: listOf({ type: 'integer' }, 'set'),
      order: listOf(text, 'atomic'),
      whole: { ...pair, 'x-kubernetes-map-type': 'atomic' },
      parts: pair,
      nested: {
        type: 'object',
        additionalProperties: { type: 'object', additionalProperties: text },
      },
    },
  };
}

function widgetStatus(): JsonObject {
  const text = { type: 'string' };
  const condition = {
    type: 'object',
    required: ['type'],
    properties: { type: text, status: text },
  };
  return {
    type: 'object',
    properties: { replicas: { type: 'integer' }, conditions: listOf(condition, 'map', ['type']) },
  };
}

const value = (dice: Dice) => (): Json => String(dice.below(4));
const pair = (dice: Dice) => (): Json => dice.object({ a: value(dice), b: value(dice) });

function metadata(dice: Dice): JsonObject {
  return dice.object(
    {
      labels: pair(dice),
      annotations: pair(dice),
      finalizers: () => dice.some(['example.com/a', 'example.com/b', 'c'], 40),
      ownerReferences: () =>
        dice.some(['x', 'y'], 60).map((name) => ({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          name,
          uid: dice.chance(90) ? name : '',
        })),
    },
    25,
  );
}

const conditions = (dice: Dice) => (): Json =>
  dice.some(['Ready', 'Done']).map((type) => ({ type, status: dice.pick(['True', 'False']) }));

const configMap: RandomKind = {
  name: 'configmap',
  apiVersion: 'v1',
  kind: 'ConfigMap',
  resource: '/api/v1/namespaces/random/configmaps',
  subresources: [],
  base: {},
  fields: (dice) => ({
    metadata: metadata(dice),
    ...dice.object({
      data: () => dice.object({ a: value(dice), b: value(dice), 'bad key': value(dice) }, 40),
      binaryData: () => dice.object({ c: () => 'AQID', d: () => 'BA==' }),
      immutable: () => false,
    }),
  }),
};

function container(dice: Dice, name: string): JsonObject {
  return {
    name,
    image: `image:${dice.below(3)}`,
    ...dice.object({
      env: () => dice.some(['A', 'B', 'C']).map((one) => ({ name: one, value: value(dice)() })),
      ports: () =>
        dice.some([80, 81]).map((containerPort) => ({
          containerPort,
          protocol: dice.pick(['TCP', 'UDP']),
        })),
      args: () => dice.some(['x', 'y']),
      resources: () => ({ requests: dice.object({ cpu: () => '0.5', memory: () => '1024Ki' }) }),
    }),
  };
}

const template: JsonObject = {
  metadata: { labels: { app: 'x' } },
  spec: { containers: [{ name: 'c', image: 'image:0' }] },
};

const deployment: RandomKind = {
  name: 'deployment',
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  resource: '/apis/apps/v1/namespaces/random/deployments',
  subresources: ['status', 'scale'],
  base: { spec: { selector: { matchLabels: { app: 'x' } }, template } },
  fields: (dice, subresource) => {
    if (subresource === 'status') {
      const counts = { replicas: () => dice.below(3), observedGeneration: () => dice.below(3) };
      return { status: dice.object({ ...counts, conditions: conditions(dice) }) };
    }
    const containers = dice.some(['c', 'd']).map((name) => container(dice, name));
    return {
      metadata: metadata(dice),
      spec: dice.object({
        replicas: () => dice.below(4) - 1,
        minReadySeconds: () => dice.below(3),
        paused: () => dice.chance(50),
        template: () => ({
          metadata: { labels: { app: 'x', ...objectOf(dice) } },
          spec: { ...(containers.length > 0 && { containers }), terminationGracePeriodSeconds: 5 },
        }),
      }),
    };
  },
};

function objectOf(dice: Dice): JsonObject {
  return dice.object({ b: value(dice) });
}

const pod: RandomKind = {
  name: 'pod',
  apiVersion: 'v1',
  kind: 'Pod',
  resource: '/api/v1/namespaces/random/pods',
  subresources: ['status'],
  base: {
    spec: {
      containers: [{ name: 'c', image: 'image:0' }],
      // The name of its volume would be random.
      automountServiceAccountToken: false,
    },
  },
  fields: (dice, subresource) => {
    if (subresource === 'status') {
      const phase = (): Json => dice.pick(['Running', 'Pending']);
      return { status: dice.object({ phase, conditions: conditions(dice), message: value(dice) }) };
    }
    return {
      metadata: metadata(dice),
      ...(dice.chance(40) && {
        spec: {
          automountServiceAccountToken: false,
          ...dice.object({
            containers: () => [{ name: 'c', image: `image:${dice.below(3)}` }],
            activeDeadlineSeconds: () => 10 - dice.below(5),
            terminationGracePeriodSeconds: () => dice.pick<Json>([30, 9007199254740993n]),
          }),
        },
      }),
    };
  },
};

const service: RandomKind = {
  name: 'service',
  apiVersion: 'v1',
  kind: 'Service',
  resource: '/api/v1/namespaces/random/services',
  subresources: [],
  base: { spec: { ports: [{ port: 80 }] } },
  fields: (dice) => ({
    metadata: metadata(dice),
    spec: {
      // Their defaults depend on the networks of the cluster.
      clusterIP: 'None',
      clusterIPs: ['None'],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      ...dice.object({
        selector: pair(dice),
        sessionAffinity: () => dice.pick(['None', 'ClientIP']),
        publishNotReadyAddresses: () => dice.chance(50),
        ports: () =>
          dice.some([80, 81, 82], 60).map((port) => ({
            port,
            name: `p${port}`,
            ...dice.object({ protocol: () => dice.pick(['TCP', 'UDP']), targetPort: () => 8080 }),
          })),
      }),
    },
  }),
};

const widget: RandomKind = {
  name: 'widget',
  apiVersion: 'lab.example.com/v1',
  kind: 'Widget',
  resource: '/apis/lab.example.com/v1/namespaces/random/widgets',
  subresources: ['status', 'scale'],
  isCustom: true,
  base: {},
  fields: (dice, subresource) => {
    if (subresource === 'status') {
      const replicas = (): Json => dice.below(3);
      return { status: dice.object({ replicas, conditions: conditions(dice) }) };
    }
    return {
      metadata: metadata(dice),
      spec: dice.object({
        replicas: () => dice.below(4) - (dice.chance(10) ? 1 : 0),
        big: () => dice.pick<Json>([1, 9007199254740993n, -9223372036854775808n, 1.5]),
        kept: value(dice),
        ports: () =>
          dice.some(['a', 'b', 'c']).map((name) => ({
            name,
            ...dice.object({ port: () => 99 + dice.below(2), note: value(dice) }),
          })),
        tags: () => dice.some(['x', 'y', 'z']),
        // kube-apiserver rounds larger ones in managedFields, and only there.
        numbers: () => dice.some<Json>([1, 2, 3]),
        order: () => dice.some(['x', 'y', 'z']),
        whole: pair(dice),
        parts: pair(dice),
        nested: () => dice.object({ k: pair(dice), l: pair(dice) }),
        stranger: value(dice),
      }),
    };
  },
};

export const RANDOM_KINDS: readonly RandomKind[] = [configMap, deployment, pod, service, widget];
