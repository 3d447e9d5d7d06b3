/** Binding and eviction: what a POST to a part of a pod does. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { ApiStage, type Answer } from './stage.ts';

const PODS = '/api/v1/namespaces/default/pods';
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';

class PodStage {
  readonly #stage: ApiStage;

  private constructor(stage: ApiStage) {
    this.#stage = stage;
  }

  static async open(): Promise<PodStage> {
    const stage = await ApiStage.open();
    const account = { metadata: { name: 'default' } };
    await stage.send('POST', '/api/v1/namespaces/default/serviceaccounts', account);
    return new PodStage(stage);
  }

  async pod(name: string, spec: JsonObject = {}): Promise<void> {
    const metadata = { name, labels: { app: 'web' } };
    const body = { metadata, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } };
    requireCode(await this.#stage.send('POST', PODS, body), 201);
  }

  bind(name: string, node: string, binding: JsonObject = {}): Promise<Answer> {
    const body = { metadata: { name, ...binding }, target: { kind: 'Node', name: node } };
    return this.#stage.send('POST', `${PODS}/${name}/binding`, body);
  }

  evict(name: string, fields: JsonObject = {}): Promise<Answer> {
    const body = { metadata: { name }, ...fields };
    return this.#stage.send('POST', `${PODS}/${name}/eviction`, body);
  }

  get(name: string): Promise<Answer> {
    return this.#stage.send('GET', `${PODS}/${name}`);
  }

  async setStatus(name: string, status: JsonObject): Promise<void> {
    const type = { 'content-type': 'application/merge-patch+json' };
    const answer = await this.#stage.send('PATCH', `${PODS}/${name}/status`, { status }, type);
    requireCode(answer, 200);
  }

  async budget(name: string, status: JsonObject): Promise<void> {
    const spec = { minAvailable: 1, selector: { matchLabels: { app: 'web' } } };
    await this.#stage.send('POST', BUDGETS, { metadata: { name }, spec });
    const type = { 'content-type': 'application/merge-patch+json' };
    const body = { status: { observedGeneration: 1, ...status } };
    const answer = await this.#stage.send('PATCH', `${BUDGETS}/${name}/status`, body, type);
    requireCode(answer, 200);
  }

  getBudget(name: string): Promise<Answer> {
    return this.#stage.send('GET', `${BUDGETS}/${name}`);
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
    const stage = await PodStage.open();
    await stage.pod('a');
    const labels = { 'topology.kubernetes.io/zone': 'z1' };
    expect(await stage.bind('a', 'n1', { labels })).toMatchObject({ code: 201 });
    expect((await stage.get('a')).body).toMatchObject({
      metadata: { generation: 1, labels: { app: 'web', ...labels } },
      spec: { nodeName: 'n1' },
      status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
    });
  });

  test.each([
    ['that waits at a gate', { schedulingGates: [{ name: 'g' }] }, 'has non-empty'],
    ['that has a node', { nodeName: 'n0' }, 'is already assigned to node "n0"'],
  ])('does not move a pod %s', async (_, spec, why) => {
    const stage = await PodStage.open();
    await stage.pod('a', spec);
    const { code, body } = await stage.bind('a', 'n1');
    expect(code).toBe(409);
    expect(body['message']).toContain(why);
  });

  test('of another incarnation of the pod is refused', async () => {
    const stage = await PodStage.open();
    await stage.pod('a');
    expect(await stage.bind('a', 'n1', { uid: 'other' })).toMatchObject({
      code: 409,
      body: { reason: 'Conflict' },
    });
  });

  test('to nowhere is refused', async () => {
    const stage = await PodStage.open();
    await stage.pod('a');
    const { code, body } = await stage.bind('a', '');
    expect(code).toBe(500);
    expect(body['message']).toBe('target.name: Required value');
  });
});

describe('an eviction', () => {
  test('deletes a pod that no budget guards, and says why it ends', async () => {
    const stage = await PodStage.open();
    await stage.pod('a', { nodeName: 'n1' });
    await stage.setStatus('a', RUNNING);
    expect(await stage.evict('a')).toMatchObject({ code: 201, body: { status: 'Success' } });
    const { metadata, status } = (await stage.get('a')).body;
    expect(metadata['deletionGracePeriodSeconds']).toBe(30);
    expect(status).toMatchObject({
      conditions: [
        { type: 'Ready' },
        { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' },
      ],
    });
  });

  test('takes the grace period that it is given', async () => {
    const stage = await PodStage.open();
    await stage.pod('a', { nodeName: 'n1' });
    await stage.evict('a', { deleteOptions: { gracePeriodSeconds: 7 } });
    expect((await stage.get('a')).body.metadata['deletionGracePeriodSeconds']).toBe(7);
  });

  test('charges the budget, and is refused once the budget is used up', async () => {
    const stage = await PodStage.open();
    for (const name of ['a', 'b']) {
      await stage.pod(name, { nodeName: 'n1' });
      await stage.setStatus(name, RUNNING);
    }
    await stage.budget('pdb', { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1 });
    expect(await stage.evict('a')).toMatchObject({ code: 201 });
    expect((await stage.getBudget('pdb')).body['status']).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { a: expect.any(String) },
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }],
    });
    expect(await stage.evict('b')).toMatchObject({
      code: 429,
      body: {
        reason: 'TooManyRequests',
        message: "Cannot evict pod as it would violate the pod's disruption budget.",
        details: { causes: [{ reason: 'DisruptionBudget' }] },
      },
    });
    expect((await stage.get('b')).body.metadata).not.toHaveProperty('deletionTimestamp');
  });

  test('comes too early if nobody has computed the budget yet', async () => {
    const stage = await PodStage.open();
    await stage.pod('a', { nodeName: 'n1' });
    await stage.setStatus('a', RUNNING);
    await stage.budget('pdb', { observedGeneration: 0, disruptionsAllowed: 1 });
    const { code, body } = await stage.evict('a');
    expect(code).toBe(429);
    expect(body['details']).toMatchObject({
      retryAfterSeconds: 10,
      causes: [{ message: 'The disruption budget pdb is still being processed by the server.' }],
    });
  });

  test('of a pod that is not ready costs nothing while enough others are', async () => {
    const stage = await PodStage.open();
    await stage.pod('a', { nodeName: 'n1' });
    await stage.setStatus('a', { phase: 'Running' });
    await stage.budget('pdb', { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1 });
    expect(await stage.evict('a')).toMatchObject({ code: 201 });
  });

  test('of a pod with two budgets cannot be done', async () => {
    const stage = await PodStage.open();
    await stage.pod('a', { nodeName: 'n1' });
    await stage.setStatus('a', RUNNING);
    for (const name of ['one', 'two']) await stage.budget(name, { disruptionsAllowed: 1 });
    expect(await stage.evict('a')).toMatchObject({ code: 500 });
  });

  test('that is only tried leaves everything as it was', async () => {
    const stage = await PodStage.open();
    await stage.pod('a', { nodeName: 'n1' });
    await stage.setStatus('a', RUNNING);
    await stage.budget('pdb', { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1 });
    const before = (await stage.get('a')).body;
    expect(await stage.evict('a', { deleteOptions: { dryRun: ['All'] } })).toMatchObject({
      code: 201,
    });
    expect((await stage.get('a')).body).toEqual(before);
    expect((await stage.getBudget('pdb')).body['status']).toMatchObject({ disruptionsAllowed: 1 });
  });
});
