import { describe, expect, test } from 'vitest';
import { MACHINE, nodeSettings, READING, RECORDED_NODE } from '../../../test/support/node-parts.ts';
import type { JsonObject } from '../../lib/json.ts';
import { newNode } from './node-object.ts';
import { nodeStatus } from './node-status.ts';

const NOW = '2030-01-02T03:04:05Z';
const LATER = '2030-01-02T03:05:05Z';
const plain = nodeSettings({ evictionHard: {}, hasLocalStorageIsolation: false });
const { status: first } = nodeStatus({}, { ...READING, storageBytes: null }, plain, NOW);

/** The same object with every text that differs from run to run replaced by its type. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  const entries = Object.entries(value).map(([key, child]) => [key, shapeOf(child)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

describe('the recorded Node', () => {
  const recorded = RECORDED_NODE['status'] as JsonObject;
  const { declaredFeatures, ...others } = recorded;

  test('has the same keys everywhere', () => {
    expect(shapeOf(first)).toEqual(shapeOf(others));
    const declared = nodeSettings({ ...plain, declaredFeatures: declaredFeatures as string[] });
    const { status } = nodeStatus({}, { ...READING, storageBytes: null }, declared, NOW);
    expect(status['declaredFeatures']).toEqual(declaredFeatures);
  });

  test('has the same resources and conditions', () => {
    expect(first['capacity']).toEqual(recorded['capacity']);
    expect(first['allocatable']).toEqual(recorded['allocatable']);
    const timeless = (recorded['conditions'] as JsonObject[]).map((one) => ({
      ...one,
      lastHeartbeatTime: NOW,
      lastTransitionTime: NOW,
    }));
    expect(first['conditions']).toEqual(timeless);
    expect(first['daemonEndpoints']).toEqual(recorded['daemonEndpoints']);
    expect((first['nodeInfo'] as JsonObject)['kubeProxyVersion']).toBe('');
  });

  test('is registered with the same labels and annotations', () => {
    const identity = { nodeName: 'go-node', operatingSystem: 'linux', architecture: 'amd64' };
    const { metadata } = newNode(identity, plain, first);
    const { labels, annotations } = RECORDED_NODE['metadata'] as JsonObject;
    expect(metadata).toEqual({ name: 'go-node', labels, annotations });
  });
});

describe('the next status', () => {
  test('the features that a runtime reports are in it', () => {
    const runtimeHandlers = [
      { name: '', hasRecursiveReadOnly: true, hasUserNamespaces: false },
      { name: 'runc', hasRecursiveReadOnly: true, hasUserNamespaces: true },
    ];
    const reading = { ...READING, runtimeHandlers, hasSupplementalGroupsPolicy: true };
    const { status } = nodeStatus(first, reading, plain, LATER);
    expect(status['runtimeHandlers']).toEqual([
      { name: '', features: { recursiveReadOnlyMounts: true, userNamespaces: false } },
      { name: 'runc', features: { recursiveReadOnlyMounts: true, userNamespaces: true } },
    ]);
    expect(status['features']).toEqual({ supplementalGroupsPolicy: true });
    expect(first).not.toHaveProperty('features');
  });

  test('heartbeats move with every status, transition times only with another condition status', () => {
    const { status, nodeEvents } = nodeStatus(
      first,
      { ...READING, reasons: ['a', 'b', 'a'] },
      plain,
      LATER,
    );
    const [memory, , , ready] = status['conditions'] as JsonObject[];
    expect(memory).toMatchObject({ lastHeartbeatTime: LATER, lastTransitionTime: NOW });
    expect(ready).toMatchObject({
      status: 'False',
      reason: 'KubeletNotReady',
      message: '[a, b]',
      lastTransitionTime: LATER,
    });
    expect(nodeEvents).toEqual([
      {
        type: 'Normal',
        reason: 'NodeNotReady',
        message: 'Node go-node status is now: NodeNotReady',
      },
    ]);
  });

  test('a first status records Events: no pressure, and the node is ready', () => {
    const { nodeEvents } = nodeStatus({}, READING, nodeSettings(), NOW);
    expect(nodeEvents.map(({ reason }) => reason)).toEqual([
      'NodeHasSufficientMemory',
      'NodeHasNoDiskPressure',
      'NodeHasSufficientPID',
      'NodeReady',
    ]);
    const notReady = nodeStatus(
      {},
      { ...READING, reasons: ['no'] },
      nodeSettings(),
      NOW,
    ).nodeEvents;
    expect(notReady.map(({ reason }) => reason)).not.toContain('NodeNotReady');
  });

  test('a pressure is recorded once and keeps its time', () => {
    const under = { ...READING, pressures: new Set(['DiskPressure'] as const) };
    const second = nodeStatus(first, under, plain, LATER);
    expect(second.nodeEvents.map(({ reason }) => reason)).toEqual(['NodeHasDiskPressure']);
    expect((second.status['conditions'] as JsonObject[])[1]).toMatchObject({
      status: 'True',
      reason: 'KubeletHasDiskPressure',
      message: 'kubelet has disk pressure',
    });
    expect(nodeStatus(second.status, under, plain, LATER).nodeEvents).toEqual([]);
  });

  test('foreign conditions, volumes and resources stay', () => {
    const before = {
      ...first,
      conditions: [{ type: 'NetworkUnavailable', status: 'False' }],
      volumesAttached: [{ name: 'v' }],
      capacity: { 'example.com/gpu': '2' },
      allocatable: { 'example.com/gpu': '2', 'example.com/gone': '1' },
    };
    const { status } = nodeStatus(before, READING, plain, LATER);
    expect((status['conditions'] as JsonObject[]).map(({ type }) => type)).toEqual([
      'NetworkUnavailable',
      'MemoryPressure',
      'DiskPressure',
      'PIDPressure',
      'Ready',
    ]);
    expect(status['volumesAttached']).toEqual([{ name: 'v' }]);
    expect(status['capacity']).toMatchObject({ 'example.com/gpu': '2', cpu: '2' });
    expect(status['allocatable']).toMatchObject({ 'example.com/gpu': '2' });
    expect(status['allocatable']).not.toHaveProperty(['example.com/gone']);
  });

  test('another boot is recorded', () => {
    const rebooted = { ...READING, machine: { ...MACHINE, bootID: 'boot-2' } };
    expect(nodeStatus(first, rebooted, plain, LATER).nodeEvents).toEqual([
      {
        type: 'Warning',
        reason: 'NodeRebooted',
        message: 'Node go-node has been rebooted, boot id: boot-2',
      },
    ]);
  });

  test('a machine that cannot be read has no resources, and keeps its names', () => {
    const { status } = nodeStatus(first, { ...READING, machine: null }, plain, LATER);
    expect(status['capacity']).toMatchObject({ cpu: '0', memory: '0', pods: '110' });
    expect(status['nodeInfo']).toMatchObject({ machineID: MACHINE.machineID });
  });

  test('a node that counts storage and does not know its own is not ready', () => {
    const { status } = nodeStatus({}, { ...READING, storageBytes: null }, nodeSettings(), NOW);
    expect((status['conditions'] as JsonObject[])[3]).toMatchObject({
      status: 'False',
      message: 'missing node capacity for resources: ephemeral-storage',
    });
  });

  test('swap, volumes in use and the largest images are shown', () => {
    const images = [
      { ref: 'a', names: ['a:1'], sizeBytes: 10 },
      { ref: 'b', names: ['b:1', 'b@sha256:1', 'b:2', 'b:3', 'b:4', 'b:5'], sizeBytes: 30 },
      { ref: 'c', names: ['c:1'], sizeBytes: 10 },
    ];
    const machine = { ...MACHINE, swapBytes: 4096 };
    const reading = { ...READING, machine, images, volumesInUse: ['v1'] };
    const { status } = nodeStatus({}, reading, { ...plain, statusImagesMax: 2 }, NOW);
    expect(status['images']).toEqual([
      { names: ['b@sha256:1', 'b:1', 'b:2', 'b:3', 'b:4'], sizeBytes: 30 },
      { names: ['c:1'], sizeBytes: 10 },
    ]);
    expect(status['nodeInfo']).toMatchObject({ swap: { capacity: 4096 } });
    expect(status['volumesInUse']).toEqual(['v1']);
    const all = nodeStatus(status, reading, { ...plain, statusImagesMax: -1 }, NOW).status;
    expect(all['images']).toHaveLength(3);
    expect(nodeStatus(all, READING, plain, NOW).status).not.toHaveProperty('images');
  });
});
