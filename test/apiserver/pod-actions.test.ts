/** Binding and eviction: POST to a subresource of a pod. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { ApiHarness, type Answer } from './api-harness.ts';

const PODS = '/api/v1/namespaces/default/pods';
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';

class PodHarness {
  readonly #harness: ApiHarness;

  private constructor(harness: ApiHarness) {
    this.#harness = harness;
  }

  static async open(): Promise<PodHarness> {
    const harness = await ApiHarness.open();
    const account = { metadata: { name: 'default' } };
    await harness.send('POST', '/api/v1/namespaces/default/serviceaccounts', account);
    return new PodHarness(harness);
  }

  async pod(name: string, spec: JsonObject = {}): Promise<void> {
    const metadata = { name, labels: { app: 'web' } };
    const body = { metadata, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } };
    requireCode(await this.#harness.send('POST', PODS, body), 201);
  }

  bind(name: string, node: string, binding: JsonObject = {}): Promise<Answer> {
    const body = { metadata: { name, ...binding }, target: { kind: 'Node', name: node } };
    return this.#harness.send('POST', `${PODS}/${name}/binding`, body);
  }

  evict(name: string, fields: JsonObject = {}): Promise<Answer> {
    const body = { metadata: { name }, ...fields };
    return this.#harness.send('POST', `${PODS}/${name}/eviction`, body);
  }

  get(name: string): Promise<Answer> {
    return this.#harness.send('GET', `${PODS}/${name}`);
  }

  async setStatus(name: string, status: JsonObject): Promise<void> {
    const type = { 'content-type': 'application/merge-patch+json' };
    const answer = await this.#harness.send('PATCH', `${PODS}/${name}/status`, { status }, type);
    requireCode(answer, 200);
  }

  async budget(name: string, status: JsonObject): Promise<void> {
    const spec = { minAvailable: 1, selector: { matchLabels: { app: 'web' } } };
    await this.#harness.send('POST', BUDGETS, { metadata: { name }, spec });
    const type = { 'content-type': 'application/merge-patch+json' };
    const body = { status: { observedGeneration: 1, ...status } };
    const answer = await this.#harness.send('PATCH', `${BUDGETS}/${name}/status`, body, type);
    requireCode(answer, 200);
  }

  getBudget(name: string): Promise<Answer> {
    return this.#harness.send('GET', `${BUDGETS}/${name}`);
  }
}

function requireCode({ code, body }: Answer, expected: number): void {
  if (code !== expected) throw new Error(`${code}: ${JSON.stringify(body)}`);
}

const RUNNING = {
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: null }],
};

describe('a binding', () => {
  test('gives the pod its node, the labels of the binding, and the condition', async () => {
    const harness = await PodHarness.open();
    await harness.pod('a');
    const labels = { 'topology.kubernetes.io/zone': 'z1' };
    expect(await harness.bind('a', 'n1', { labels })).toMatchObject({ code: 201 });
    expect((await harness.get('a')).body).toMatchObject({
      metadata: { generation: 1, labels: { app: 'web', ...labels } },
      spec: { nodeName: 'n1' },
      status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
    });
  });

  test.each([
    ['that waits at a gate', { schedulingGates: [{ name: 'g' }] }, 'has non-empty'],
    ['that has a node', { nodeName: 'n0' }, 'is already assigned to node "n0"'],
  ])('does not move a pod %s', async (_, spec, why) => {
    const harness = await PodHarness.open();
    await harness.pod('a', spec);
    const { code, body } = await harness.bind('a', 'n1');
    expect(code).toBe(409);
    expect(body['message']).toContain(why);
  });

  test('to another incarnation of the pod is refused', async () => {
    const harness = await PodHarness.open();
    await harness.pod('a');
    expect(await harness.bind('a', 'n1', { uid: 'other' })).toMatchObject({
      code: 409,
      body: { reason: 'Conflict' },
    });
  });

  test('without a node is refused', async () => {
    const harness = await PodHarness.open();
    await harness.pod('a');
    const { code, body } = await harness.bind('a', '');
    expect(code).toBe(500);
    expect(body['message']).toBe('target.name: Required value');
  });
});

describe('an eviction', () => {
  test('deletes a pod without a budget, and sets its DisruptionTarget', async () => {
    const harness = await PodHarness.open();
    await harness.pod('a', { nodeName: 'n1' });
    await harness.setStatus('a', RUNNING);
    expect(await harness.evict('a')).toMatchObject({ code: 201, body: { status: 'Success' } });
    const { metadata, status } = (await harness.get('a')).body;
    expect(metadata['deletionGracePeriodSeconds']).toBe(30);
    expect(status).toMatchObject({
      conditions: [
        { type: 'Ready' },
        { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' },
      ],
    });
  });

  test('uses its own grace period', async () => {
    const harness = await PodHarness.open();
    await harness.pod('a', { nodeName: 'n1' });
    await harness.evict('a', { deleteOptions: { gracePeriodSeconds: 7 } });
    expect((await harness.get('a')).body.metadata['deletionGracePeriodSeconds']).toBe(7);
  });

  test('charges the budget, and is refused once the budget is used up', async () => {
    const harness = await PodHarness.open();
    for (const name of ['a', 'b']) {
      await harness.pod(name, { nodeName: 'n1' });
      await harness.setStatus(name, RUNNING);
    }
    await harness.budget('pdb', { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1 });
    expect(await harness.evict('a')).toMatchObject({ code: 201 });
    expect((await harness.getBudget('pdb')).body['status']).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { a: expect.any(String) },
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }],
    });
    expect(await harness.evict('b')).toMatchObject({
      code: 429,
      body: {
        reason: 'TooManyRequests',
        message: "Cannot evict pod as it would violate the pod's disruption budget.",
        details: { causes: [{ reason: 'DisruptionBudget' }] },
      },
    });
    expect((await harness.get('b')).body.metadata).not.toHaveProperty('deletionTimestamp');
  });

  test('is refused while the budget has no status yet', async () => {
    const harness = await PodHarness.open();
    await harness.pod('a', { nodeName: 'n1' });
    await harness.setStatus('a', RUNNING);
    await harness.budget('pdb', { observedGeneration: 0, disruptionsAllowed: 1 });
    const { code, body } = await harness.evict('a');
    expect(code).toBe(429);
    expect(body['details']).toMatchObject({
      retryAfterSeconds: 10,
      causes: [{ message: 'The disruption budget pdb is still being processed by the server.' }],
    });
  });

  test('of a pod that is not ready costs nothing while enough others are', async () => {
    const harness = await PodHarness.open();
    await harness.pod('a', { nodeName: 'n1' });
    await harness.setStatus('a', { phase: 'Running' });
    await harness.budget('pdb', { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1 });
    expect(await harness.evict('a')).toMatchObject({ code: 201 });
  });

  test('of a pod with two budgets is refused', async () => {
    const harness = await PodHarness.open();
    await harness.pod('a', { nodeName: 'n1' });
    await harness.setStatus('a', RUNNING);
    for (const name of ['one', 'two']) await harness.budget(name, { disruptionsAllowed: 1 });
    expect(await harness.evict('a')).toMatchObject({ code: 500 });
  });

  test('as a dry run changes nothing', async () => {
    const harness = await PodHarness.open();
    await harness.pod('a', { nodeName: 'n1' });
    await harness.setStatus('a', RUNNING);
    await harness.budget('pdb', { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1 });
    const before = (await harness.get('a')).body;
    expect(await harness.evict('a', { deleteOptions: { dryRun: ['All'] } })).toMatchObject({
      code: 201,
    });
    expect((await harness.get('a')).body).toEqual(before);
    expect((await harness.getBudget('pdb')).body['status']).toMatchObject({
      disruptionsAllowed: 1,
    });
  });
});
