/** Pods and their node: admission, eviction, and changes of running pods. */
import { describe, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { podCluster } from '../support/pod-cluster.ts';
import { conditionOf, containerOf, shell, shellPod, type PodView } from '../support/pod-view.ts';

const cluster = podCluster('node');
const HUGE = { requests: { cpu: '1000' } };

function cpu(requests: string, limits: string): JsonObject {
  return { requests: { cpu: requests }, limits: { cpu: limits } };
}

function resize(name: string, resources: JsonObject): Promise<string> {
  const patch = JSON.stringify({ spec: { containers: [{ name: 'main', resources }] } });
  return cluster.kubectl(['patch', 'pod', name, '--subresource=resize', '-p', patch]);
}

function hasLimit(pod: PodView, kind: string, amount: string): boolean {
  const { limits } = (containerOf(pod)?.resources ?? {}) as { limits?: Record<string, string> };
  return limits?.[kind] === amount;
}

describe.concurrent('pods and their node', () => {
  test('a pod that fits on no node stays Pending, and its condition says why', async ({
    expect,
  }) => {
    await cluster.apply(shellPod({ name: 'huge', container: { resources: HUGE } }));
    const pod = await cluster.podWhen(
      'huge',
      'to be judged',
      (each) => conditionOf(each, 'PodScheduled')?.reason === 'Unschedulable',
    );
    expect(pod.status.phase).toBe('Pending');
    const message = conditionOf(pod, 'PodScheduled')?.message;
    expect(message).toMatch(/^0\/1 nodes are available: 1 Insufficient cpu\./);
    await cluster.event('huge', 'FailedScheduling', 'Insufficient cpu');
  });

  test('a pod that is bound to a node where it does not fit is rejected', async ({ expect }) => {
    const spec = { nodeName: 'node-1' };
    await cluster.apply(shellPod({ name: 'forced-in', container: { resources: HUGE }, spec }));
    const pod = await cluster.over('forced-in');
    expect(pod.status).toMatchObject({ phase: 'Failed', reason: 'OutOfcpu' });
    expect(pod.status.message).toMatch(
      /^Pod was rejected: Node didn't have enough resource: cpu, requested: 1000000, used: \d+, capacity: \d+$/,
    );
    await cluster.event('forced-in', 'OutOfcpu');
  });

  test('resources are changed while the container runs', async ({ expect }) => {
    const container = { resources: cpu('50m', '100m') };
    await cluster.apply(shellPod({ name: 'grows', container }));
    const before = await cluster.ready('grows');
    await resize('grows', cpu('60m', '200m'));
    const after = await cluster.podWhen(
      'grows',
      'to have grown',
      (pod) => hasLimit(pod, 'cpu', '200m') && !conditionOf(pod, 'PodResizeInProgress'),
    );
    expect(conditionOf(after, 'PodResizePending')).toBeUndefined();
    expect(containerOf(after)).toMatchObject({
      containerID: containerOf(before)?.containerID,
      restartCount: 0,
    });
    await cluster.event('grows', 'ResizeCompleted');
  });

  test('a container with that resize policy is restarted to change its memory', async ({
    expect,
  }) => {
    const memory = (amount: string): JsonObject => ({
      requests: { memory: amount },
      limits: { memory: amount },
    });
    const resizePolicy = [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }];
    await cluster.apply(
      shellPod({ name: 'regrows', container: { resources: memory('64Mi'), resizePolicy } }),
    );
    await cluster.ready('regrows');
    await resize('regrows', memory('96Mi'));
    const pod = await cluster.podWhen(
      'regrows',
      'to have grown',
      (each) => hasLimit(each, 'memory', '96Mi') && containerOf(each)?.restartCount === 1,
    );
    expect(pod.status.phase).toBe('Running');
  });

  test('a namespace is deleted with the pods that run in it', async ({ expect }) => {
    await cluster.kubectl('create namespace doomed');
    // Pods are refused until their namespace has its default service account.
    await cluster.kubectl('wait --for=create serviceaccount/default -n doomed --timeout=60s');
    const pods = ['one', 'two'].map((name) =>
      shellPod({ name, metadata: { namespace: 'doomed' } }),
    );
    await cluster.apply(...pods);
    await cluster.kubectl('wait --for=condition=Ready pod --all -n doomed --timeout=60s');
    await cluster.kubectl('delete namespace doomed --timeout=80s');
    expect(await cluster.pod('one', 'doomed')).toBeUndefined();
  });

  test('an evicted pod is stopped as if it were deleted', async ({ expect }) => {
    await cluster.apply(shellPod({ name: 'evicted' }));
    await cluster.ready('evicted');
    const eviction = {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: 'evicted', namespace: 'default' },
    };
    const where = '/api/v1/namespaces/default/pods/evicted/eviction';
    await cluster.kubectl(['create', '--raw', where, '-f', '-'], {
      stdin: JSON.stringify(eviction),
    });
    await cluster.gone('evicted');
    expect((await cluster.event('evicted', 'Killing')).message).toBe('Stopping container main');
  });
});

describe('a node that is full', () => {
  test('defers a resize beyond its capacity, reports that, and the pod keeps running', async ({
    expect,
  }) => {
    const whole = await cluster.kubectl('get node node-1 -o jsonpath={.status.allocatable.cpu}');
    await cluster.apply(
      shellPod({ name: 'dreams', container: { resources: cpu('50m', '2000') } }),
      shellPod({ name: 'neighbour', container: { resources: cpu('50m', '100m') } }),
    );
    await cluster.ready('dreams');
    await cluster.ready('neighbour');
    await resize('dreams', cpu(whole, '2000'));
    const pod = await cluster.podWhen(
      'dreams',
      'to be told',
      (each) => conditionOf(each, 'PodResizePending') !== undefined,
    );
    expect(conditionOf(pod, 'PodResizePending')).toMatchObject({
      status: 'True',
      reason: 'Deferred',
    });
    expect(conditionOf(pod, 'Ready')?.status).toBe('True');
    await cluster.event('dreams', 'ResizeDeferred');
    await cluster.kubectl('delete pod dreams neighbour');
  });
});

describe('a node that is taken out of service', () => {
  test('takes no pods while it is cordoned, and those that wait afterwards', async ({ expect }) => {
    await cluster.kubectl('cordon node-1');
    await cluster.apply(shellPod({ name: 'waits' }));
    const pod = await cluster.podWhen(
      'waits',
      'to be judged',
      (each) => conditionOf(each, 'PodScheduled')?.reason === 'Unschedulable',
    );
    expect(conditionOf(pod, 'PodScheduled')?.message).toContain('1 node(s) were unschedulable');
    expect(await cluster.kubectl('get nodes --no-headers')).toMatch(/Ready,SchedulingDisabled/);
    await cluster.kubectl('uncordon node-1');
    await cluster.ready('waits');
  });

  test('is emptied when it is drained', async ({ expect }) => {
    const spec = { containers: [shell('main'), shell('other')] };
    await cluster.apply(shellPod({ name: 'drained', spec }));
    await cluster.ready('drained');
    await cluster.kubectl(
      'drain node-1 --force --ignore-daemonsets --delete-emptydir-data --timeout=80s',
    );
    expect(await cluster.pod('drained')).toBeUndefined();
    expect(await cluster.pod('waits')).toBeUndefined();
    await cluster.kubectl('uncordon node-1');
  });
});
