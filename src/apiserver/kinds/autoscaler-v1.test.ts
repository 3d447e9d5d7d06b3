/** The same autoscalers in two versions: nothing that one of them cannot say gets lost. */
import { expect, it } from 'vitest';
import { ApiDesk } from '../../../test/support/api-desk.ts';
import type { JsonObject } from '../../lib/json.ts';
import { valueAt } from './field-path.ts';

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

async function openWith(path: string, spec: JsonObject): Promise<ApiDesk> {
  const desk = await ApiDesk.open();
  const body = { metadata: { name: 'web' }, spec: { scaleTargetRef, maxReplicas: 3, ...spec } };
  expect((await desk.ask('POST', path, { body })).code).toBe(201);
  return desk;
}

const read = async (desk: ApiDesk, path: string): Promise<JsonObject> =>
  (await desk.ask('GET', `${path}/web`)).body;

it('what the old version asks of the processor is a metric of the new one', async () => {
  const desk = await openWith(OLD, { targetCPUUtilizationPercentage: 60 });
  expect(valueAt(await read(desk, NEW), 'spec.metrics')).toEqual([use(60)]);
});

it('the processor is kept at eighty percent if nothing else is asked for', async () => {
  const desk = await openWith(OLD, {});
  expect(valueAt(await read(desk, OLD), 'spec.targetCPUUtilizationPercentage')).toBe(80);
});

it('metrics that the old version has no words for stand in an annotation', async () => {
  const desk = await openWith(NEW, { metrics: [queue, use(70)] });
  const old = await read(desk, OLD);
  expect(valueAt(old, 'spec.targetCPUUtilizationPercentage')).toBe(70);
  expect(valueAt(old, 'metadata.annotations')).toEqual({
    [METRICS]: '[{"type":"Pods","pods":{"metricName":"queue","targetAverageValue":"5"}}]',
  });
});

it('a change through the old version keeps what only the new one can say', async () => {
  const behavior = { scaleDown: { stabilizationWindowSeconds: 60 } };
  const desk = await openWith(NEW, { metrics: [queue, use(70)], behavior });
  const before = await read(desk, NEW);
  const { code } = await desk.merge(`${OLD}/web`, { spec: { maxReplicas: 9 } });
  expect(code).toBe(200);
  const after = await read(desk, NEW);
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
  'a metric of type %s comes back from the old version as it was',
  async (type, field, details) => {
    const metric = { type, [field]: details };
    const desk = await openWith(NEW, { metrics: [metric] });
    await desk.merge(`${OLD}/web`, { spec: { maxReplicas: 9 } });
    expect(valueAt(await read(desk, NEW), 'spec.metrics')).toEqual([metric]);
  },
);

it('conditions survive a change of the spec through the old version, sent without them', async () => {
  const desk = await openWith(NEW, {});
  const conditions = [{ type: 'AbleToScale', status: 'True', lastTransitionTime: null }];
  await desk.merge(`${NEW}/web/status`, { status: { conditions } });
  const { metadata: _, ...rest } = await read(desk, OLD);
  await desk.ask('PUT', `${OLD}/web`, { body: { ...rest, metadata: { name: 'web' } } });
  expect(valueAt(await read(desk, NEW), 'status.conditions')).toEqual(conditions);
});
