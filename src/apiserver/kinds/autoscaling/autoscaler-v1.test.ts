/** The same autoscalers in two versions: nothing that only one can express gets lost. */
import { expect, it } from 'vitest';
import { ApiRequests } from '../../../../test/support/api-requests.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { valueAt } from '../../objects/field-path.ts';

const OLD = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers';
const NEW = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';
const scaleTargetRef = { kind: 'Deployment', name: 'web' };
const use = (averageUtilization: number) => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});
const queue = {
  type: 'Pods',
  pods: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: '5' } },
};

async function openWith(path: string, spec: JsonObject): Promise<ApiRequests> {
  const api = await ApiRequests.open();
  const body = { metadata: { name: 'web' }, spec: { scaleTargetRef, maxReplicas: 3, ...spec } };
  expect((await api.ask('POST', path, { body })).code).toBe(201);
  return api;
}

const read = async (api: ApiRequests, path: string): Promise<JsonObject> =>
  (await api.ask('GET', `${path}/web`)).body;

it('cpu utilization of the old version is a metric of the new one', async () => {
  const api = await openWith(OLD, { targetCPUUtilizationPercentage: 60 });
  expect(valueAt(await read(api, NEW), 'spec.metrics')).toEqual([use(60)]);
});

it('the default is a cpu utilization of eighty percent', async () => {
  const api = await openWith(OLD, {});
  expect(valueAt(await read(api, OLD), 'spec.targetCPUUtilizationPercentage')).toBe(80);
});

it('metrics without a field in the old version are in an annotation', async () => {
  const api = await openWith(NEW, { metrics: [queue, use(70)] });
  const old = await read(api, OLD);
  expect(valueAt(old, 'spec.targetCPUUtilizationPercentage')).toBe(70);
  expect(valueAt(old, 'metadata.annotations')).toEqual({
    [METRICS]: '[{"type":"Pods","pods":{"metricName":"queue","targetAverageValue":"5"}}]',
  });
});

it('a change through the old version keeps what only the new one can express', async () => {
  const behavior = { scaleDown: { stabilizationWindowSeconds: 60 } };
  const api = await openWith(NEW, { metrics: [queue, use(70)], behavior });
  const before = await read(api, NEW);
  const { code } = await api.merge(`${OLD}/web`, { spec: { maxReplicas: 9 } });
  expect(code).toBe(200);
  const after = await read(api, NEW);
  expect(valueAt(after, 'spec')).toEqual({ ...(before['spec'] as JsonObject), maxReplicas: 9 });
  expect(valueAt(after, 'metadata.annotations')).toBeUndefined();
});

it.each([
  [
    'Object',
    'object',
    {
      describedObject: { kind: 'S', name: 's' },
      metric: { name: 'm' },
      target: { type: 'Value', value: '3' },
    },
  ],
  [
    'External',
    'external',
    { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '3' } },
  ],
  [
    'Resource',
    'resource',
    { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } },
  ],
  [
    'ContainerResource',
    'containerResource',
    { name: 'cpu', container: 'c', target: { type: 'Utilization', averageUtilization: 5 } },
  ],
])(
  'a metric of type %s survives a round trip through the old version',
  async (type, field, details) => {
    const metric = { type, [field]: details };
    const api = await openWith(NEW, { metrics: [metric] });
    await api.merge(`${OLD}/web`, { spec: { maxReplicas: 9 } });
    expect(valueAt(await read(api, NEW), 'spec.metrics')).toEqual([metric]);
  },
);

it('conditions survive a change of the spec through the old version, sent without them', async () => {
  const api = await openWith(NEW, {});
  const conditions = [{ type: 'AbleToScale', status: 'True', lastTransitionTime: null }];
  await api.merge(`${NEW}/web/status`, { status: { conditions } });
  const { metadata: _, ...rest } = await read(api, OLD);
  await api.ask('PUT', `${OLD}/web`, { body: { ...rest, metadata: { name: 'web' } } });
  expect(valueAt(await read(api, NEW), 'status.conditions')).toEqual(conditions);
});
