/** PodDisruptionBudgets and evictions, by the embedded server alone. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { deploymentOf, DEPLOYMENTS, PODS, WorkloadHarness } from './workload-harness.ts';

const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const CONTROLLERS = ['deployment', 'replicaset', 'disruption'] as const;
const SELECTOR = { selector: { matchLabels: { app: 'web' } } };

async function open(spec: JsonObject): Promise<WorkloadHarness> {
  const harness = await WorkloadHarness.open({ controllers: CONTROLLERS });
  await harness.make(BUDGETS, 'web', { spec: { ...SELECTOR, ...spec } });
  await harness.make(DEPLOYMENTS, 'web', deploymentOf());
  await harness.settle();
  return harness;
}

const evict = (harness: WorkloadHarness, name: string) =>
  harness.send('POST', `${PODS}/${name}/eviction`, { metadata: { name } });

test.each([
  [{ minAvailable: 2 }, { expectedPods: 3, desiredHealthy: 2, disruptionsAllowed: 1 }],
  [{ minAvailable: '50%' }, { expectedPods: 3, desiredHealthy: 2, disruptionsAllowed: 1 }],
  [{ maxUnavailable: 2 }, { expectedPods: 3, desiredHealthy: 1, disruptionsAllowed: 2 }],
  [{ maxUnavailable: '50%' }, { expectedPods: 3, desiredHealthy: 1, disruptionsAllowed: 2 }],
  [{ maxUnavailable: 0 }, { expectedPods: 3, desiredHealthy: 3, disruptionsAllowed: 0 }],
])('of three ready pods %j leaves %j', async (spec, expected) => {
  const harness = await open(spec);
  const reason = expected.disruptionsAllowed > 0 ? 'SufficientPods' : 'InsufficientPods';
  expect(await harness.status(`${BUDGETS}/web`)).toMatchObject({
    ...expected,
    currentHealthy: 3,
    observedGeneration: 1,
    conditions: [{ type: 'DisruptionAllowed', reason }],
  });
});

test('evictions are allowed one by one, and the budget counts again when pods are replaced', async () => {
  const harness = await open({ minAvailable: 2 });
  harness.becomesReady = () => false;
  const [first = '', second = ''] = await harness.namesIn(PODS);
  expect((await evict(harness, first)).code).toBe(201);
  await harness.settle();
  expect((await evict(harness, second)).code).toBe(429);
  harness.becomesReady = () => true;
  for (const name of await harness.namesIn(PODS)) {
    await harness.patch(`${PODS}/${name}`, { metadata: { labels: { seen: 'yes' } } });
  }
  await harness.settle();
  expect((await evict(harness, second)).code).toBe(201);
});

test('a budget without pods allows nothing', async () => {
  const harness = await WorkloadHarness.open({ controllers: CONTROLLERS });
  await harness.make(BUDGETS, 'web', { spec: { ...SELECTOR, minAvailable: 0 } });
  await harness.settle();
  expect((await harness.status(`${BUDGETS}/web`))['disruptionsAllowed'] ?? 0).toBe(0);
});

test('pods of unknown controllers cannot be counted: the budget allows nothing and says why', async () => {
  const harness = await WorkloadHarness.open({ controllers: CONTROLLERS });
  const owner = { apiVersion: 'a.b/v1', kind: 'Unknown', name: 'x', uid: 'y', controller: true };
  await harness.make(PODS, 'one', {
    metadata: { labels: { app: 'web' }, ownerReferences: [owner] },
    spec: { containers: [{ name: 'a', image: 'a' }] },
  });
  await harness.make(BUDGETS, 'web', { spec: { ...SELECTOR, maxUnavailable: 1 } });
  await harness.settle();
  const { conditions } = await harness.status(`${BUDGETS}/web`);
  expect(conditions).toMatchObject([
    { status: 'False', reason: 'SyncFailed', message: 'found no controllers for pod "one"' },
  ]);
});
