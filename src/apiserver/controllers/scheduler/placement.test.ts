import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../lib/json.ts';
import { Cluster } from './cluster.ts';
import { placePod, type Placement } from './placement.ts';
import { viewPod, type PodView } from './pod-view.ts';

interface Shape {
  readonly labels?: JsonObject;
  readonly namespace?: string;
  readonly requests?: JsonObject;
  readonly spec?: JsonObject;
  readonly isLeaving?: boolean;
}

function podOf(name: string, shape: Shape = {}): PodView {
  const { labels = {}, namespace = 'default', requests = {}, spec, isLeaving } = shape;
  const containers = [{ name: 'c', resources: { requests } }];
  const leaving = isLeaving ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {};
  return viewPod(`/core/pods/${namespace}/${name}`, {
    metadata: { name, namespace, labels, ...leaving },
    spec: { containers, ...spec },
  });
}

function clusterOf(...names: readonly string[]): Cluster {
  const cluster = new Cluster();
  for (const name of names) {
    cluster.putNode({
      metadata: { name, labels: { host: name, zone: name.slice(0, 1) } },
      status: {
        allocatable: { cpu: '4', memory: '8Gi', pods: '10', 'example.com/gpu': '1' },
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    });
  }
  return cluster;
}

function put(cluster: Cluster, node: string, name: string, shape: Shape = {}): void {
  cluster.putPod(podOf(name, { ...shape, spec: { ...shape.spec, nodeName: node } }));
}

const place = (cluster: Cluster, shape?: Shape): Placement =>
  placePod(podOf('new', shape), cluster, null);

describe('room', () => {
  test('is taken by what asks for nothing, too, when nodes are compared', () => {
    const cluster = clusterOf('a1', 'b1');
    put(cluster, 'a1', 'idle');
    expect(place(cluster)).toEqual({ type: 'fits', node: 'b1' });
  });

  test('is a matter of shares, not of amounts', () => {
    const cluster = clusterOf('a1', 'b1');
    put(cluster, 'a1', 'x', { requests: { cpu: '3' } });
    put(cluster, 'b1', 'y', { requests: { memory: '2Gi' } });
    expect(place(cluster)).toEqual({ type: 'fits', node: 'b1' });
  });

  test('is given back by a pod that leaves', () => {
    const cluster = clusterOf('a1');
    put(cluster, 'a1', 'x', { requests: { 'example.com/gpu': '1' } });
    const wish = { requests: { 'example.com/gpu': '1' } };
    expect(place(cluster, wish)).toMatchObject({
      message: expect.stringContaining('1 Insufficient example.com/gpu.'),
    });
    cluster.deletePod('/core/pods/default/x');
    expect(place(cluster, wish)).toEqual({ type: 'fits', node: 'a1' });
  });

  test('everything that is short is told', () => {
    const wish = { requests: { cpu: '9', memory: '9Gi' } };
    expect(place(clusterOf('a1'), wish)).toMatchObject({
      message: expect.stringContaining('1 Insufficient cpu, 1 Insufficient memory.'),
    });
  });
});

test('a pod that never preempts says so', () => {
  const spec = { preemptionPolicy: 'Never', nodeSelector: { x: 'y' } };
  expect(place(clusterOf('a1'), { spec })).toEqual({
    type: 'unschedulable',
    hopes: new Set(['nodes']),
    message:
      "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. " +
      'no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.',
  });
});

test('names that contradict each other are told for all nodes at once', () => {
  const matchFields = ['a1', 'b1'].map((name) => ({
    key: 'metadata.name',
    operator: 'In',
    values: [name],
  }));
  const nodeAffinity = {
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
  };
  expect(place(clusterOf('a1', 'b1'), { spec: { affinity: { nodeAffinity } } })).toMatchObject({
    message: expect.stringMatching(/^0\/2 nodes are available: pod affinity terms conflict\. /),
  });
});

describe('company', () => {
  const term = (fields: JsonObject): JsonObject => ({
    topologyKey: 'zone',
    labelSelector: { matchLabels: { app: 'db' } },
    ...fields,
  });
  const near = (kind: string, fields: JsonObject = {}): JsonObject => ({
    affinity: { [kind]: { requiredDuringSchedulingIgnoredDuringExecution: [term(fields)] } },
  });

  test('is anywhere in the same zone', () => {
    const cluster = clusterOf('a1', 'a2', 'b1');
    put(cluster, 'a1', 'db', { labels: { app: 'db' }, requests: { cpu: '3' } });
    expect(place(cluster, { spec: near('podAffinity') })).toEqual({ type: 'fits', node: 'a2' });
    const spec = near('podAntiAffinity');
    expect(place(cluster, { spec })).toEqual({ type: 'fits', node: 'b1' });
  });

  test('is of the own namespace, unless others are named or selected', () => {
    const cluster = clusterOf('a1');
    cluster.putNamespace({ metadata: { name: 'data', labels: { team: 'x' } } });
    put(cluster, 'a1', 'db', { labels: { app: 'db' }, namespace: 'data' });
    const fits = (fields: JsonObject): boolean =>
      place(cluster, { spec: near('podAffinity', fields) }).type === 'fits';
    expect(fits({})).toBe(false);
    expect(fits({ namespaces: ['data'] })).toBe(true);
    expect(fits({ namespaceSelector: { matchLabels: { team: 'x' } } })).toBe(true);
    expect(fits({ namespaceSelector: { matchLabels: { team: 'y' } } })).toBe(false);
    expect(fits({ namespaceSelector: {} })).toBe(true);
  });

  test('without a selector is nobody', () => {
    const cluster = clusterOf('a1');
    put(cluster, 'a1', 'db', { labels: { app: 'db' } });
    const spec = near('podAntiAffinity', { labelSelector: null });
    expect(place(cluster, { spec }).type).toBe('fits');
  });

  test('needs a node that has the label at all', () => {
    const cluster = clusterOf('a1');
    put(cluster, 'a1', 'db', { labels: { app: 'db' } });
    const spec = near('podAffinity', { topologyKey: 'rack' });
    expect(place(cluster, { labels: { app: 'db' }, spec }).type).toBe('unschedulable');
  });
});

describe('spreading', () => {
  const spread = (fields: JsonObject = {}): JsonObject => ({
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'zone',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'web' } },
        ...fields,
      },
    ],
  });
  const web = { app: 'web' };

  test('counts pods of the own namespace that are not leaving', () => {
    const cluster = clusterOf('a1', 'b1');
    put(cluster, 'a1', 'x', { labels: web });
    put(cluster, 'b1', 'y', { labels: web, namespace: 'other' });
    put(cluster, 'b1', 'z', { labels: web, requests: { cpu: '3' }, isLeaving: true });
    expect(place(cluster, { labels: web, spec: spread() })).toEqual({ type: 'fits', node: 'b1' });
  });

  test('that is only wished for is not insisted on', () => {
    const cluster = clusterOf('a1');
    put(cluster, 'a1', 'x', { labels: web });
    const spec = spread({ whenUnsatisfiable: 'ScheduleAnyway', minDomains: 5 });
    expect(place(cluster, { labels: web, spec }).type).toBe('fits');
  });

  test('over more zones than there are counts the missing ones as empty', () => {
    const cluster = clusterOf('a1', 'b1');
    put(cluster, 'a1', 'x', { labels: web });
    put(cluster, 'b1', 'y', { labels: web });
    expect(place(cluster, { labels: web, spec: spread() }).type).toBe('fits');
    const spec = spread({ minDomains: 3 });
    expect(place(cluster, { labels: web, spec }).type).toBe('unschedulable');
  });

  test('leaves out zones where the pod may not be, unless it says otherwise', () => {
    const cluster = clusterOf('a1', 'b1');
    put(cluster, 'a1', 'x', { labels: web });
    const only = { nodeSelector: { zone: 'a' } };
    expect(place(cluster, { labels: web, spec: { ...spread(), ...only } }).type).toBe('fits');
    const all = spread({ nodeAffinityPolicy: 'Ignore' });
    expect(place(cluster, { labels: web, spec: { ...all, ...only } }).type).toBe('unschedulable');
  });
});
