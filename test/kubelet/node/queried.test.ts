/** The query interface of a whole node: what it shows of pods that start, fail and leave. */
import { expect, test } from 'vitest';
import { WatchClient } from '../../support/watch-client.ts';
import { at, openNode, podOf } from './node-test.ts';
import { queryOf } from './query-parts.ts';
import { NAMESPACE } from './virtual-node.ts';

function shownIn({ events }: WatchClient): readonly string[] {
  const lines = events.map(({ type, data }) => {
    const { metadata, status } = JSON.parse(data);
    return metadata ? `${type} ${metadata.name} ${status?.phase ?? '-'}` : type;
  });
  return lines.filter((line, index) => line !== lines[index - 1]);
}

test('a watcher sees the life of a pod, and its end', async () => {
  const node = await openNode();
  const { ask, query } = queryOf(node);
  const client = await WatchClient.open(ask, 'pods?watch');
  await node.cluster.createPod(podOf('web'));
  await node.pass(5000);
  expect(query.pods({ fieldSelector: 'status.phase=Running' })['items']).toMatchObject([
    { kind: 'Pod', metadata: { name: 'web' }, status: { phase: 'Running' } },
  ]);
  await node.cluster.deletePod(at('web'));
  await node.pass(60_000);
  expect(shownIn(client)).toEqual([
    'synced',
    'pod web Pending',
    'pod web Running',
    'pod web Failed',
    'deleted web Failed',
  ]);
});

test('a pod that is gone still has its timeline, with times and reasons', async () => {
  const node = await openNode();
  const { query } = queryOf(node);
  await node.cluster.createPod(podOf('web'));
  await node.pass(5000);
  await node.cluster.deletePod(at('web'), { gracePeriodSeconds: 0 });
  await node.pass(60_000);
  const name = { namespace: NAMESPACE, name: 'web' };
  expect(() => query.pod(name)).toThrow('is not on this node');
  const timeline = query.timeline(name);
  expect(timeline['pod']).toMatchObject(name);
  const items = timeline['items'] as readonly { machine: string; at: string }[];
  expect(new Set(items.map(({ machine }) => machine))).toContain('pod-worker');
  expect(items.map((item) => item.at)).toEqual(items.map((item) => item.at).toSorted());
});

test('the node is shown as its agent knows it', async () => {
  const node = await openNode();
  const { query } = queryOf(node);
  expect(query.node()).toMatchObject({
    name: 'node1',
    ready: true,
    notReadyReasons: [],
    pressures: [],
    node: { metadata: { name: 'node1' } },
  });
});
