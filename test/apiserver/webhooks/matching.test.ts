/** Which requests a webhook is called for: selectors, scope, and other versions of a kind. */
import { describe, expect, test } from 'vitest';
import { readText } from '../../../src/api/validation/json-reading.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import {
  CONFIG_MAPS,
  patchWith,
  ruleFor,
  WebhookHarness,
  type Answering,
} from './webhook-harness.ts';

const ALLOWED: Answering = () => ({ allowed: true });
const NAMESPACES = '/api/v1/namespaces';
const WATCHED = { matchLabels: { watched: 'yes' } };

function asked(harness: WebhookHarness): readonly string[] {
  return harness.reviews.map(({ request }) =>
    ['operation', 'name'].map((field) => readText(request[field])).join(' '),
  );
}

describe('a namespace selector', () => {
  test('is for objects of namespaces with the labels, and for all of the cluster', async () => {
    const harness = await WebhookHarness.open(ALLOWED);
    const metadata = { name: 'watched', labels: { watched: 'yes' } };
    await harness.send('POST', NAMESPACES, { metadata });
    await harness.configure('Validating', {
      namespaceSelector: WATCHED,
      rules: [ruleFor('configmaps'), ruleFor('priorityclasses')],
    });
    await harness.create('outside');
    await harness.send('POST', `${NAMESPACES}/watched/configmaps`, { metadata: { name: 'in' } });
    const path = '/apis/scheduling.k8s.io/v1/priorityclasses';
    await harness.send('POST', path, { metadata: { name: 'cluster' }, value: 1 });
    expect(asked(harness)).toEqual(['CREATE in', 'CREATE cluster']);
  });

  test('is for the labels that a namespace itself is to have, and, to delete it, for those it has', async () => {
    const harness = await WebhookHarness.open(ALLOWED);
    const rules = [ruleFor('namespaces', ['CREATE', 'UPDATE', 'DELETE'])];
    await harness.configure('Validating', { namespaceSelector: WATCHED, rules });
    await harness.send('POST', NAMESPACES, { metadata: { name: 'n' } });
    const labels = { metadata: { labels: { watched: 'yes' } } };
    await harness.send('PATCH', `${NAMESPACES}/n`, labels, 'merge-patch+json');
    await harness.send('DELETE', `${NAMESPACES}/n`);
    expect(asked(harness)).toEqual(['UPDATE n', 'DELETE n']);
  });
});

test('an object selector is for objects that have the labels, or had them', async () => {
  const harness = await WebhookHarness.open(ALLOWED);
  await harness.configure('Validating', { objectSelector: WATCHED });
  await harness.create('other');
  await harness.create('x', { metadata: { name: 'x', labels: { watched: 'yes' } } });
  const change = { metadata: { labels: null } };
  await harness.send('PATCH', `${CONFIG_MAPS}/x`, change, 'merge-patch+json');
  await harness.send('PATCH', `${CONFIG_MAPS}/x`, { data: { a: 'b' } }, 'merge-patch+json');
  expect(asked(harness)).toEqual(['CREATE x', 'UPDATE x']);
});

test.each([
  ['Namespaced', ['CREATE map']],
  ['Cluster', ['CREATE space', 'CREATE urgent']],
  ['*', ['CREATE map', 'CREATE space', 'CREATE urgent']],
])('the scope %s is for %j', async (scope, expected) => {
  const harness = await WebhookHarness.open(ALLOWED);
  await harness.configure('Validating', { rules: [{ ...ruleFor('*', ['CREATE']), scope }] });
  await harness.create('map');
  await harness.send('POST', NAMESPACES, { metadata: { name: 'space' } });
  const path = '/apis/scheduling.k8s.io/v1/priorityclasses';
  await harness.send('POST', path, { metadata: { name: 'urgent' }, value: 1 });
  expect(asked(harness)).toEqual(expected);
});

describe('a rule for another version of the kind', () => {
  const PATH = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
  const target = { type: 'Utilization', averageUtilization: 80 };
  const metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }];
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };
  const autoscaler = {
    metadata: { name: 'h' },
    spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 3, metrics },
  };
  const rules = [{ ...ruleFor('horizontalpodautoscalers', ['CREATE']), apiVersions: ['v1'] }];

  test('matches, if equivalent: the webhook sees and changes that version', async () => {
    const harness = await WebhookHarness.open(() =>
      patchWith([{ op: 'replace', path: '/spec/targetCPUUtilizationPercentage', value: 50 }]),
    );
    await harness.configure('Mutating', { rules, matchPolicy: 'Equivalent' });
    const { code, body } = await harness.send('POST', PATH, autoscaler);
    expect(harness.reviews[0]?.request).toMatchObject({
      kind: { group: 'autoscaling', version: 'v1', kind: 'HorizontalPodAutoscaler' },
      resource: { version: 'v1' },
      requestKind: { group: 'autoscaling', version: 'v2' },
      requestResource: { version: 'v2' },
      object: { apiVersion: 'autoscaling/v1', spec: { targetCPUUtilizationPercentage: 80 } },
    });
    expect([code, body['apiVersion']]).toEqual([201, 'autoscaling/v2']);
    const changed = { ...target, averageUtilization: 50 };
    expect((body['spec'] as JsonObject)['metrics']).toEqual([
      { type: 'Resource', resource: { name: 'cpu', target: changed } },
    ]);
  });

  test('does not match, if exact', async () => {
    const harness = await WebhookHarness.open(ALLOWED);
    await harness.configure('Validating', { rules, matchPolicy: 'Exact' });
    expect((await harness.send('POST', PATH, autoscaler)).code).toBe(201);
    expect(harness.reviews).toEqual([]);
  });
});
