import { expect, test } from 'vitest';
import type { JsonObject } from '../../../lib/json.ts';
import { silenced, tainted, unready } from './node-health.ts';

const NOW = '2030-01-02T00:00:00Z';

function nodeWith(statuses: Readonly<Record<string, string>>, spec: JsonObject = {}): JsonObject {
  const conditions = Object.entries(statuses).map(([type, status]) => ({ type, status }));
  return { metadata: { name: 'n', creationTimestamp: NOW }, spec, status: { conditions } };
}

const all = { Ready: 'True', MemoryPressure: 'False', DiskPressure: 'False', PIDPressure: 'False' };
const unknown = Object.fromEntries(Object.keys(all).map((type) => [type, 'Unknown']));

test('NetworkUnavailable of a silent node is left alone', () => {
  const node = nodeWith({ ...all, NetworkUnavailable: 'False' });
  expect(silenced(node, NOW)).toMatchObject({
    status: {
      conditions: [
        { type: 'Ready', status: 'Unknown', lastTransitionTime: NOW },
        { type: 'MemoryPressure', status: 'Unknown' },
        { type: 'DiskPressure', status: 'Unknown' },
        { type: 'PIDPressure', status: 'Unknown' },
        { type: 'NetworkUnavailable', status: 'False' },
      ],
    },
  });
});

test('a node that is already marked as silent stays the very same', () => {
  const node = nodeWith(unknown);
  expect(silenced(node, NOW)).toBe(node);
});

test('a healthy node without taints stays the very same', () => {
  const node = nodeWith(all);
  expect(tainted(node, NOW)).toBe(node);
});

test('every bad condition has its taint, with the time at which it was added', () => {
  const node = nodeWith({ ...all, MemoryPressure: 'True', NetworkUnavailable: 'True' });
  expect(tainted(node, NOW)).toMatchObject({
    spec: {
      taints: [
        { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule', timeAdded: NOW },
        { key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule', timeAdded: NOW },
      ],
    },
  });
});

test('right taints keep their time, wrong ones are removed, foreign ones stay', () => {
  const key = 'node.kubernetes.io/not-ready';
  const taints = [
    { key, effect: 'NoSchedule', timeAdded: 'early' },
    { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' },
    { key: 'node.kubernetes.io/disk-pressure', effect: 'NoExecute' },
    { key: 'mine', effect: 'NoSchedule' },
  ];
  const next = tainted(nodeWith({ ...all, Ready: 'False' }, { taints }), NOW);
  expect(next['spec']).toEqual({
    taints: [taints[0], taints[2], taints[3], { key, effect: 'NoExecute', timeAdded: NOW }],
  });
});

test('removing the last taint removes the list', () => {
  const taints = [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }];
  expect(tainted(nodeWith(all, { taints }), NOW)['spec']).toEqual({});
});

test('only a pod that reports Ready is made unready', () => {
  const pod = (status: string): JsonObject => ({
    metadata: {},
    status: { conditions: [{ type: 'Ready', status, lastTransitionTime: 'early' }] },
  });
  expect(unready(pod('True'), NOW)['status']).toEqual({
    conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: NOW }],
  });
  const idle = pod('False');
  expect(unready(idle, NOW)).toBe(idle);
});
