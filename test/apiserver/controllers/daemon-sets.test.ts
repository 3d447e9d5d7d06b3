/** DaemonSets by the embedded server alone, with its scheduler. */
import { describe, expect, test } from 'vitest';
import { objectsAt, textAt, valueAt } from '../../../src/apiserver/objects/field-path.ts';
import { labelsOf } from '../../../src/apiserver/objects/object-labels.ts';
import { nameOf } from '../../../src/apiserver/objects/metadata.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { PODS, WorkloadHarness } from './workload-harness.ts';

const CONTROLLERS = ['daemonset', 'garbage-collector', 'scheduler'] as const;
const SETS = '/apis/apps/v1/namespaces/default/daemonsets';
const REVISIONS = '/apis/apps/v1/namespaces/default/controllerrevisions';
const NODES = '/api/v1/nodes';
const AGENT = `${SETS}/agent`;

const isBroken = (pod: JsonObject): boolean => JSON.stringify(pod).includes('agent:broken');
/** The pods become ready once they are bound. */
const isBound = (pod: JsonObject): boolean => textAt(pod, 'spec.nodeName') !== '';

async function open(
  nodes: readonly string[],
  becomesReady: (pod: JsonObject) => boolean = () => true,
): Promise<WorkloadHarness> {
  const harness = await WorkloadHarness.open({
    controllers: CONTROLLERS,
    becomesReady: (pod) => isBound(pod) && becomesReady(pod),
  });
  for (const name of nodes) await addNode(harness, name);
  await harness.settle();
  return harness;
}

async function addNode(
  harness: WorkloadHarness,
  name: string,
  labels: JsonObject = {},
): Promise<void> {
  await harness.make(NODES, name, { metadata: { labels } });
  const capacity = { cpu: '4', memory: '8Gi', pods: '110' };
  const conditions = [{ type: 'Ready', status: 'True' }];
  await harness.patch(`${NODES}/${name}/status`, {
    status: { capacity, allocatable: capacity, conditions },
  });
}

const taint = (harness: WorkloadHarness, node: string, effect: string) =>
  harness.patch(`${NODES}/${node}`, { spec: { taints: [{ key: 'gpu', value: 'a', effect }] } });

const setOf = (fields: JsonObject = {}, spec: JsonObject = {}): JsonObject => ({
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    template: {
      metadata: { labels: { app: 'agent' } },
      spec: { containers: [{ name: 'agent', image: 'agent:1' }], ...spec },
    },
    ...fields,
  },
});

const rolling = (rollingUpdate: JsonObject): JsonObject => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate },
});

const setImage = (harness: WorkloadHarness, image: string) =>
  harness.patch(AGENT, {
    spec: { template: { spec: { containers: [{ name: 'agent', image }] } } },
  });

/** As `a=agent:1`: node and image. */
const placesOf = async (harness: WorkloadHarness): Promise<readonly string[]> =>
  (await harness.list(PODS))
    .map((pod) => {
      const image = textAt(objectsAt(pod, 'spec.containers')[0] ?? {}, 'image');
      return `${textAt(pod, 'spec.nodeName')}=${image}`;
    })
    .toSorted();

describe('a daemon set', () => {
  test('has a pod on every node, bound by the name of the node, and reports them', async () => {
    const harness = await open(['a', 'b']);
    await harness.make(SETS, 'agent', setOf());
    await harness.settle();
    expect(await placesOf(harness)).toEqual(['a=agent:1', 'b=agent:1']);
    const [revision = {}] = await harness.list(REVISIONS);
    const hash = labelsOf(revision)['controller-revision-hash'];
    expect(nameOf(revision)).toBe(`agent-${hash}`);
    const [pod = {}] = await harness.list(PODS);
    expect(labelsOf(pod)).toEqual({
      app: 'agent',
      'controller-revision-hash': hash,
      'pod-template-generation': '1',
    });
    expect(valueAt(pod, 'spec.affinity')).toEqual({
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] },
          ],
        },
      },
    });
    expect(await harness.status(AGENT)).toEqual({
      observedGeneration: 1,
      desiredNumberScheduled: 2,
      currentNumberScheduled: 2,
      numberMisscheduled: 0,
      numberReady: 2,
      updatedNumberScheduled: 2,
      numberAvailable: 2,
    });
    const names = await harness.namesIn(PODS);
    expect((await harness.eventsOf('DaemonSet')).toSorted()).toEqual(
      names.map((name) => `SuccessfulCreate: Created pod: ${name}`).toSorted(),
    );
  });

  test('follows nodes that come, change and go', async () => {
    const harness = await open(['a']);
    const nodeSelector = { role: 'edge' };
    await harness.make(SETS, 'agent', setOf({}, { nodeSelector }));
    await harness.settle();
    expect(await placesOf(harness)).toEqual([]);
    await harness.patch(`${NODES}/a`, { metadata: { labels: nodeSelector } });
    await addNode(harness, 'b', nodeSelector);
    await harness.settle();
    expect(await placesOf(harness)).toEqual(['a=agent:1', 'b=agent:1']);
    await harness.patch(`${NODES}/a`, { metadata: { labels: { role: 'core' } } });
    await harness.settle();
    expect(await placesOf(harness)).toEqual(['b=agent:1']);
    await harness.remove(`${NODES}/b`);
    await harness.settle();
    expect(await harness.status(AGENT)).toMatchObject({ desiredNumberScheduled: 0 });
  });

  test('runs on cordoned nodes, not on tainted ones, and stays where a taint has no effect on it', async () => {
    const harness = await open(['a', 'b', 'c']);
    await taint(harness, 'a', 'NoSchedule');
    await harness.patch(`${NODES}/c`, { spec: { unschedulable: true } });
    await harness.make(SETS, 'agent', setOf());
    await harness.settle();
    expect(await placesOf(harness)).toEqual(['b=agent:1', 'c=agent:1']);
    await taint(harness, 'b', 'NoSchedule');
    await harness.settle();
    expect(await placesOf(harness)).toEqual(['b=agent:1', 'c=agent:1']);
    expect(await harness.status(AGENT)).toMatchObject({
      desiredNumberScheduled: 1,
      numberMisscheduled: 1,
    });
    await taint(harness, 'b', 'NoExecute');
    await harness.settle();
    expect(await placesOf(harness)).toEqual(['c=agent:1']);
  });

  test('replaces a failed pod, each time after a longer wait, and a succeeded one at once', async () => {
    const harness = await open(['a']);
    await harness.make(SETS, 'agent', setOf());
    await harness.settle();
    const end = async (phase: string): Promise<void> => {
      for (const name of await harness.namesIn(PODS)) {
        await harness.patch(`${PODS}/${name}/status`, { status: { phase } });
      }
    };
    await end('Failed');
    await harness.settle();
    expect(harness.created).toBe(2);
    await end('Failed');
    await harness.clock.pass(100);
    expect(harness.created).toBe(2);
    await harness.settle(1000);
    expect(harness.created).toBe(3);
    await end('Failed');
    // Two seconds since the second failure, of which 1.3 have passed.
    await harness.clock.pass(500);
    expect(harness.created).toBe(3);
    await harness.settle(1000);
    expect(harness.created).toBe(4);
    await end('Succeeded');
    await harness.settle();
    expect(harness.created).toBe(5);
    const reasons = (await harness.eventsOf('DaemonSet')).map((one) => one.split(':')[0]);
    expect(reasons.filter((one) => one === 'FailedDaemonPod')).toHaveLength(3);
    expect(reasons.filter((one) => one === 'SucceededDaemonPod')).toHaveLength(1);
  });

  test('takes its pods and its history with it', async () => {
    const harness = await open(['a']);
    await harness.make(SETS, 'agent', setOf());
    await harness.settle();
    await harness.remove(AGENT);
    await harness.settle();
    expect(await harness.list(PODS)).toEqual([]);
    expect(await harness.list(REVISIONS)).toEqual([]);
  });
});

describe('an update', () => {
  test('replaces as many pods at a time as maxUnavailable allows, and is undone', async () => {
    const harness = await open(['a', 'b', 'c', 'd'], (pod) => !isBroken(pod));
    await harness.make(SETS, 'agent', setOf(rolling({ maxUnavailable: '50%' })));
    await harness.settle();
    await setImage(harness, 'agent:broken');
    await harness.settle();
    expect(await placesOf(harness)).toEqual([
      'a=agent:broken',
      'b=agent:broken',
      'c=agent:1',
      'd=agent:1',
    ]);
    expect(await harness.status(AGENT)).toMatchObject({
      updatedNumberScheduled: 2,
      numberAvailable: 2,
      numberUnavailable: 2,
    });
    await setImage(harness, 'agent:1');
    await harness.settle();
    expect(await placesOf(harness)).toEqual(['a=agent:1', 'b=agent:1', 'c=agent:1', 'd=agent:1']);
    const numbers = (await harness.list(REVISIONS)).map((one) => Number(one['revision']));
    expect(numbers.toSorted((a, b) => a - b)).toEqual([2, 3]);
    // The pods of nodes c and d were never replaced.
    expect(harness.created).toBe(8);
  });

  test('with maxSurge creates the new pod first', async () => {
    const harness = await open(['a', 'b'], (pod) => !isBroken(pod));
    await harness.make(SETS, 'agent', setOf(rolling({ maxSurge: 1, maxUnavailable: 0 })));
    await harness.settle();
    await setImage(harness, 'agent:broken');
    await harness.settle();
    expect(await placesOf(harness)).toEqual(['a=agent:1', 'a=agent:broken', 'b=agent:1']);
    await setImage(harness, 'agent:2');
    await harness.settle();
    expect(await placesOf(harness)).toEqual(['a=agent:2', 'b=agent:2']);
    expect(await harness.status(AGENT)).toMatchObject({
      numberReady: 2,
      updatedNumberScheduled: 2,
    });
  });

  test('with OnDelete waits until a user deletes the pod', async () => {
    const harness = await open(['a', 'b']);
    await harness.make(SETS, 'agent', setOf({ updateStrategy: { type: 'OnDelete' } }));
    await harness.settle();
    await setImage(harness, 'agent:2');
    await harness.settle();
    expect(harness.created).toBe(2);
    const onA = (await harness.list(PODS)).find((pod) => textAt(pod, 'spec.nodeName') === 'a');
    await harness.send('DELETE', `${PODS}/${nameOf(onA ?? {})}`);
    await harness.settle();
    expect(await placesOf(harness)).toEqual(['a=agent:2', 'b=agent:1']);
  });

  test('counts a pod as available when it was ready for long enough', async () => {
    const harness = await open(['a']);
    await harness.make(SETS, 'agent', setOf({ minReadySeconds: 30 }));
    await harness.settle();
    expect(await harness.status(AGENT)).toMatchObject({ numberReady: 1, numberUnavailable: 1 });
    await harness.settle(31_000);
    expect(await harness.status(AGENT)).toMatchObject({ numberAvailable: 1 });
  });

  test('keeps as many old revisions as its limit says', async () => {
    const harness = await open(['a']);
    await harness.make(SETS, 'agent', setOf({ revisionHistoryLimit: 1 }));
    await harness.settle();
    for (const image of ['agent:2', 'agent:3', 'agent:4']) {
      await setImage(harness, image);
      await harness.settle();
    }
    const numbers = (await harness.list(REVISIONS)).map((one) => Number(one['revision']));
    expect(numbers.toSorted((a, b) => a - b)).toEqual([3, 4]);
  });
});

describe('history', () => {
  test('pods and revisions that a deleted set left behind are adopted, and nothing is replaced', async () => {
    const harness = await open(['a', 'b']);
    await harness.make(SETS, 'agent', setOf());
    await harness.settle();
    await harness.remove(AGENT, { propagationPolicy: 'Orphan' });
    await harness.settle();
    const { metadata } = await harness.make(SETS, 'agent', setOf());
    await harness.settle();
    for (const object of [...(await harness.list(PODS)), ...(await harness.list(REVISIONS))]) {
      expect(valueAt(object, 'metadata.ownerReferences')).toMatchObject([{ uid: metadata['uid'] }]);
    }
    expect(harness.created).toBe(2);
    expect(await harness.list(REVISIONS)).toHaveLength(1);
  });

  test('of two revisions with one template the newer stays, and the pods belong to it', async () => {
    const harness = await open(['a']);
    await harness.make(SETS, 'agent', setOf());
    await harness.settle();
    const [revision] = await harness.list(REVISIONS);
    const labels = { app: 'agent', 'controller-revision-hash': 'other' };
    const data = revision?.['data'] ?? {};
    await harness.make(REVISIONS, 'agent-other', { metadata: { labels }, data, revision: 2 });
    await harness.settle();
    expect(await harness.namesIn(REVISIONS)).toEqual(['agent-other']);
    const [pod = {}] = await harness.list(PODS);
    expect(labelsOf(pod)['controller-revision-hash']).toBe('other');
    expect(harness.created).toBe(1);
  });
});
