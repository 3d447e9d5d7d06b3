/** HorizontalPodAutoscalers by the embedded server alone, with figures that the test gives. */
import { expect, test, vi } from 'vitest';
import { deployments } from '../../../src/apiserver/kinds/apps/deployment.ts';
import { pods } from '../../../src/apiserver/kinds/core/pods.ts';
import { formatTime } from '../../../src/api/values/time.ts';
import { objectsAt, structAt, textAt } from '../../../src/apiserver/objects/field-path.ts';
import type { KindDefinition } from '../../../src/apiserver/objects/kind.ts';
import { metadataOf } from '../../../src/apiserver/objects/metadata.ts';
import { plainKind } from '../../../src/apiserver/objects/plain-kind.ts';
import { prefixOf } from '../../../src/apiserver/registry/registry.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { widgets } from './custom-kind.ts';
import { DEPLOYMENTS, deploymentOf, WorkloadHarness } from './workload-harness.ts';

const AUTOSCALERS = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
const CONTROLLERS = ['horizontalpodautoscaling', 'deployment', 'replicaset'] as const;
const TARGET = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const CPU = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
};

/** Every pod of the store uses this much. */
class Load {
  cpu = '50m';
  /** How often an autoscaler has asked for the figures. */
  reads = 0;
  /** Called once, while an autoscaler waits for the figures. */
  meanwhile: (() => Promise<unknown>) | null = null;
  harness: WorkloadHarness | null = null;

  kind(): KindDefinition {
    return plainKind('metrics.k8s.io/v1beta1', {
      kind: 'PodMetrics',
      resource: 'pods',
      verbs: ['get', 'list'],
      columns: [],
      made: async ({ namespace }) => {
        this.reads += 1;
        const { meanwhile } = this;
        this.meanwhile = null;
        await meanwhile?.();
        return this.#metrics(namespace);
      },
    });
  }

  #metrics(namespace: string): readonly JsonObject[] {
    const { harness } = this;
    if (!harness) return [];
    const found = harness.store.list(prefixOf(pods, namespace)).objects;
    return found.map(({ value }) => ({
      metadata: metadataOf(value),
      timestamp: formatTime(harness.clock.now()),
      window: '15s',
      containers: [{ name: 'web', usage: { cpu: this.cpu, memory: '1Mi' } }],
    }));
  }
}

/** A custom kind with a scale. */
function fleets({ namespaced }: { readonly namespaced: boolean }): KindDefinition {
  const view = {
    definition: widgets,
    read: (object: JsonObject): JsonObject => ({
      spec: { replicas: structAt(object, 'spec')['replicas'] ?? 0 },
      status: { selector: textAt(object, 'spec.selector') },
    }),
    write: (object: JsonObject, scale: JsonObject): JsonObject => ({
      ...object,
      spec: { ...structAt(object, 'spec'), ...structAt(scale, 'spec') },
    }),
  };
  return {
    ...widgets,
    kind: 'Fleet',
    resource: 'fleets',
    singular: 'fleet',
    namespaced,
    subresources: [{ name: 'scale', kind: 'Scale', verbs: ['get', 'patch', 'update'], view }],
  };
}

async function open(spec: JsonObject = {}, replicas = 2, kinds: readonly KindDefinition[] = []) {
  const load = new Load();
  const harness = await WorkloadHarness.open({
    controllers: CONTROLLERS,
    kinds: [load.kind(), ...kinds],
  });
  load.harness = harness;
  const resources = { requests: { cpu: '100m' } };
  const template = {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'web', image: 'web:1', resources }] },
  };
  await harness.make(DEPLOYMENTS, 'web', deploymentOf({ replicas, template }));
  await harness.settle();
  await startPods(harness);
  await harness.make(AUTOSCALERS, 'web', {
    spec: { scaleTargetRef: TARGET, minReplicas: 1, maxReplicas: 10, metrics: [CPU], ...spec },
  });
  await harness.settle();
  return { harness, load };
}

/** Pods without a start time count as not ready. */
async function startPods(harness: WorkloadHarness): Promise<void> {
  const { registry } = harness.server.parts;
  for (const { value } of harness.store.list(prefixOf(pods, '')).objects) {
    if (textAt(value, 'status.startTime') !== '') continue;
    const startTime = formatTime(harness.clock.now() - 3_600_000);
    const change = (old: JsonObject): JsonObject => ({
      ...old,
      status: { ...structAt(old, 'status'), startTime },
    });
    const name = textAt(value, 'metadata.name');
    const target = { definition: pods, namespace: 'default', name };
    await registry.update({ ...target, subresource: 'status', change });
  }
}

const replicasOf = async (harness: WorkloadHarness): Promise<unknown> =>
  structAt((await harness.get(`${DEPLOYMENTS}/web`)).body, 'spec')['replicas'];

async function conditionsOf(harness: WorkloadHarness): Promise<readonly string[]> {
  const status = await harness.status(`${AUTOSCALERS}/web`);
  return objectsAt(status, 'conditions').map((one) =>
    ['type', 'status', 'reason'].map((field) => textAt(one, field)).join(' '),
  );
}

test('at the target nothing is scaled, and the status has the figures', async () => {
  const { harness } = await open();
  expect(await replicasOf(harness)).toBe(2);
  expect(await harness.status(`${AUTOSCALERS}/web`)).toMatchObject({
    currentReplicas: 2,
    desiredReplicas: 2,
    currentMetrics: [
      {
        type: 'Resource',
        resource: { name: 'cpu', current: { averageUtilization: 50, averageValue: '50m' } },
      },
    ],
  });
  expect(await conditionsOf(harness)).toEqual([
    'AbleToScale True ReadyForNewScale',
    'ScalingActive True ValidMetricFound',
    'ScalingLimited False DesiredWithinRange',
  ]);
});

test('load scales up, one step every 15 seconds, up to the maximum', async () => {
  const { harness, load } = await open({ maxReplicas: 5 });
  load.cpu = '100m';
  await harness.settle(15_000);
  expect(await replicasOf(harness)).toBe(4);
  expect(await harness.eventsOf('HorizontalPodAutoscaler')).toEqual([
    'SuccessfulRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target',
  ]);
  await startPods(harness);
  await harness.settle(30_000);
  expect(await replicasOf(harness)).toBe(5);
  expect((await conditionsOf(harness)).at(-1)).toBe('ScalingLimited True TooManyReplicas');
});

test('less load scales down after five minutes', async () => {
  const { harness, load } = await open();
  load.cpu = '10m';
  await harness.settle(60_000);
  expect(await replicasOf(harness)).toBe(2);
  expect((await conditionsOf(harness))[0]).toBe('AbleToScale True ScaleDownStabilized');
  await harness.settle(300_000);
  expect(await replicasOf(harness)).toBe(1);
  expect(await harness.eventsOf('HorizontalPodAutoscaler')).toEqual([
    'SuccessfulRescale: New size: 1; reason: All metrics below target',
  ]);
});

test('behavior: down at once, one pod a minute', async () => {
  const policies = [{ type: 'Pods', value: 1, periodSeconds: 60 }];
  const behavior = { scaleDown: { stabilizationWindowSeconds: 0, policies } };
  const { harness, load } = await open({ behavior }, 4);
  load.cpu = '10m';
  await harness.settle(16_000);
  expect(await replicasOf(harness)).toBe(3);
  await harness.settle(30_000);
  expect(await replicasOf(harness)).toBe(3);
  await harness.settle(45_000);
  expect(await replicasOf(harness)).toBe(2);
});

test('bounds hold whatever the load is', async () => {
  const { harness } = await open({ minReplicas: 3 });
  expect(await replicasOf(harness)).toBe(3);
  await harness.patch(`${AUTOSCALERS}/web`, { spec: { minReplicas: 1, maxReplicas: 2 } });
  await harness.settle();
  expect(await replicasOf(harness)).toBe(2);
});

test('a target of zero replicas is left alone', async () => {
  const { harness } = await open({}, 0);
  expect(await replicasOf(harness)).toBe(0);
  expect(await conditionsOf(harness)).toContain('ScalingActive False ScalingDisabled');
});

test('a target that is not there', async () => {
  const scaleTargetRef = { ...TARGET, name: 'gone' };
  const { harness } = await open({ scaleTargetRef });
  expect(await conditionsOf(harness)).toEqual(['AbleToScale False FailedGetScale']);
  expect(await harness.eventsOf('HorizontalPodAutoscaler')).toEqual([
    'FailedGetScale: deployments/scale.apps "gone" not found',
  ]);
});

test('a client that scales the target meanwhile is not overwritten', async () => {
  const { harness, load } = await open();
  load.cpu = '100m';
  const seen: unknown[] = [];
  load.meanwhile = () => harness.patch(`${DEPLOYMENTS}/web/scale`, { spec: { replicas: 7 } });
  harness.store.watch(prefixOf(deployments, 'default'), harness.store.revision, ({ value }) => {
    seen.push(structAt(value, 'spec')['replicas']);
  });
  await harness.settle(15_000);
  expect(new Set(seen)).toEqual(new Set([7]));
  expect(await conditionsOf(harness)).toContain('AbleToScale False FailedUpdateScale');
  const events = await harness.eventsOf('HorizontalPodAutoscaler');
  expect(events.join()).toMatch(/^FailedRescale: New size: 4; .*the object has been modified/);
  load.cpu = '50m';
  await startPods(harness);
  await harness.settle(15_000);
  expect(await replicasOf(harness)).toBe(7);
  expect(await conditionsOf(harness)).toContain('AbleToScale True ReadyForNewScale');
});

test('attack: a cluster-scoped resource cannot be scaled from a namespace', async () => {
  const kind = fleets({ namespaced: false });
  const { harness } = await open({}, 2, [kind]);
  const path = '/apis/example.com/v1/fleets';
  await harness.make(path, 'shared', { spec: { replicas: 3 } });
  const scaleTargetRef = { apiVersion: 'example.com/v1', kind: 'Fleet', name: 'shared' };
  await harness.make(AUTOSCALERS, 'greedy', {
    spec: { scaleTargetRef, minReplicas: 9, maxReplicas: 9 },
  });
  await harness.settle(15_000);
  expect((await harness.get(`${path}/shared`)).body['spec']).toEqual({ replicas: 3 });
  expect(await harness.status(`${AUTOSCALERS}/greedy`)).toMatchObject({
    conditions: [
      {
        type: 'AbleToScale',
        status: 'False',
        reason: 'FailedGetScale',
        message:
          "the HPA controller was unable to get the target's current scale: the server could not find the requested resource",
      },
    ],
  });
});

test('a custom resource of the same namespace is scaled', async () => {
  const { harness } = await open({}, 2, [fleets({ namespaced: true })]);
  const path = '/apis/example.com/v1/namespaces/default/fleets';
  await harness.make(path, 'own', { spec: { replicas: 3 } });
  const scaleTargetRef = { apiVersion: 'example.com/v1', kind: 'Fleet', name: 'own' };
  await harness.make(AUTOSCALERS, 'own', {
    spec: { scaleTargetRef, minReplicas: 9, maxReplicas: 9 },
  });
  await harness.settle();
  expect((await harness.get(`${path}/own`)).body['spec']).toEqual({ replicas: 9 });
});

test('two autoscalers of the same pods: neither scales', async () => {
  const { harness, load } = await open();
  await harness.make(AUTOSCALERS, 'twin', { spec: { scaleTargetRef: TARGET, maxReplicas: 9 } });
  load.cpu = '100m';
  await harness.settle(15_000);
  expect(await replicasOf(harness)).toBe(2);
  expect(await conditionsOf(harness)).toContain('ScalingActive False AmbiguousSelector');
});

test('rivals come and go with autoscalers, their targets and selectors', async () => {
  const { harness } = await open({}, 2, [fleets({ namespaced: true })]);
  const isAmbiguous = async (): Promise<boolean> => {
    await harness.settle(15_000);
    return (await conditionsOf(harness)).includes('ScalingActive False AmbiguousSelector');
  };
  const path = '/apis/example.com/v1/namespaces/default/fleets';
  const scaleTargetRef = { apiVersion: 'example.com/v1', kind: 'Fleet', name: 'late' };
  await harness.make(AUTOSCALERS, 'late', { spec: { scaleTargetRef, maxReplicas: 9 } });
  expect(await isAmbiguous()).toBe(false);
  await harness.make(path, 'late', { spec: { replicas: 3, selector: 'app=web' } });
  expect(await isAmbiguous()).toBe(true);
  await harness.patch(`${path}/late`, { spec: { selector: 'app in (other),app' } });
  expect(await isAmbiguous()).toBe(false);
  await harness.patch(`${path}/late`, { spec: { selector: 'app' } });
  expect(await isAmbiguous()).toBe(true);
  await harness.remove(`${path}/late`);
  expect(await isAmbiguous()).toBe(false);
  await harness.patch(`${AUTOSCALERS}/late`, { spec: { scaleTargetRef: TARGET } });
  expect(await isAmbiguous()).toBe(true);
  await harness.remove(`${AUTOSCALERS}/late`);
  expect(await isAmbiguous()).toBe(false);
});

test('attack: many autoscalers of one namespace cost each a constant number of reads', async () => {
  const { harness, load } = await open({}, 2, [fleets({ namespaced: true })]);
  const path = '/apis/example.com/v1/namespaces/default/fleets';
  const COUNT = 30;
  for (let index = 0; index < COUNT; index++) {
    const name = `f${index}`;
    const scaleTargetRef = { apiVersion: 'example.com/v1', kind: 'Fleet', name };
    await harness.make(path, name, { spec: { replicas: 3, selector: `app=${name}` } });
    await harness.make(AUTOSCALERS, name, { spec: { scaleTargetRef, maxReplicas: 9 } });
  }
  await harness.settle(15_000);
  const { parts } = harness.server;
  const get = vi.spyOn(parts.registry, 'get');
  const list = vi.spyOn(harness.store, 'list');
  load.reads = 0;
  await harness.settle(15_000);
  const targets = get.mock.calls.filter(([{ definition }]) => definition.kind === 'Fleet');
  expect(targets.length).toBeGreaterThanOrEqual(COUNT);
  expect(targets.length).toBeLessThanOrEqual(3 * COUNT);
  expect(load.reads).toBeGreaterThan(0);
  expect(load.reads).toBeLessThan(COUNT / 2);
  const listed = list.mock.calls.filter(([prefix]) => prefix === prefixOf(pods, 'default'));
  expect(listed.length).toBeLessThan(COUNT / 2);
});

test('metrics that podkeep does not have fail as in a cluster without an adapter', async () => {
  const metric = { name: 'hits' };
  const average = { type: 'AverageValue', averageValue: '10' };
  const metrics = [
    { type: 'Pods', pods: { metric, target: average } },
    { type: 'External', external: { metric, target: average } },
  ];
  const { harness } = await open({ metrics });
  expect(await conditionsOf(harness)).toContain('ScalingActive False FailedGetPodsMetric');
  const events = await harness.eventsOf('HorizontalPodAutoscaler');
  expect(events.map((text) => text.split(':')[0])).toEqual([
    'FailedGetPodsMetric',
    'FailedGetExternalMetric',
    'FailedComputeMetricsReplicas',
  ]);
  expect(events[0]).toContain('no custom metrics API (custom.metrics.k8s.io) registered');
});

test('without a request there is no utilization', async () => {
  const { harness } = await open();
  await harness.patch(`${DEPLOYMENTS}/web`, {
    spec: { template: { spec: { containers: [{ name: 'web', image: 'web:2' }] } } },
  });
  await harness.settle();
  await startPods(harness);
  await harness.settle(15_000);
  const { conditions } = await harness.status(`${AUTOSCALERS}/web`);
  expect(JSON.stringify(conditions)).toContain('missing request for cpu in container web of Pod');
});
