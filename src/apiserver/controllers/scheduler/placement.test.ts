import { describe, expect, test } from 'vitest';
import {
  addToNode as put,
  placementDeps,
  schedulerPod as podOf,
  type PodShape as Shape,
} from '../../../../test/support/scheduler-harness.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { Cluster } from './cluster.ts';
import { placePod, type Placement } from './placement.ts';

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

function place(cluster: Cluster, shape?: Shape): Placement | { type: 'fits'; node: string } {
  const placement = placePod(podOf('new', shape), placementDeps(cluster));
  return placement.type === 'fits' ? { type: 'fits', node: placement.node.name } : placement;
}

test('where pods share the network of the machine, a port that another pod declares is taken', () => {
  const listening = { spec: { containers: [{ name: 'c', ports: [{ containerPort: 8080 }] }] } };
  const cluster = clusterOf('a1');
  put(cluster, 'a1', 'web-1', listening);
  expect(place(cluster, listening)).toEqual({ type: 'fits', node: 'a1' });
  cluster.putNode({
    metadata: { name: 'a1', annotations: { 'podkeep.dev/pod-network': 'shared' } },
    status: { allocatable: { pods: '10' }, conditions: [{ type: 'Ready', status: 'True' }] },
  });
  expect(place(cluster, listening)).toMatchObject({
    type: 'unschedulable',
    message: expect.stringContaining(
      "1 node(s) didn't have free ports for the requested pod ports (port 8080/TCP is taken by pod " +
        'default/web-1: pods share the network of the machine)',
    ),
    plugins: new Set(['NodePorts']),
  });
});

describe('capacity', () => {
  test('is used by pods without requests, too, when nodes are scored', () => {
    const cluster = clusterOf('a1', 'b1');
    put(cluster, 'a1', 'idle');
    expect(place(cluster)).toEqual({ type: 'fits', node: 'b1' });
  });

  test('is compared by shares, not by amounts', () => {
    const cluster = clusterOf('a1', 'b1');
    put(cluster, 'a1', 'x', { requests: { cpu: '3' } });
    put(cluster, 'b1', 'y', { requests: { memory: '2Gi' } });
    expect(place(cluster)).toEqual({ type: 'fits', node: 'b1' });
  });

  test('is freed by a pod that leaves', () => {
    const cluster = clusterOf('a1');
    put(cluster, 'a1', 'x', { requests: { 'example.com/gpu': '1' } });
    const wish = { requests: { 'example.com/gpu': '1' } };
    expect(place(cluster, wish)).toMatchObject({
      message: expect.stringContaining('1 Insufficient example.com/gpu.'),
    });
    cluster.deletePod('/core/pods/default/x');
    expect(place(cluster, wish)).toEqual({ type: 'fits', node: 'a1' });
  });

  test('lists every resource that is short', () => {
    const wish = { requests: { cpu: '9', memory: '9Gi' } };
    expect(place(clusterOf('a1'), wish)).toMatchObject({
      message: expect.stringContaining('1 Insufficient cpu, 1 Insufficient memory.'),
    });
  });
});

test('the message mentions preemptionPolicy Never', () => {
  const spec = { preemptionPolicy: 'Never', nodeSelector: { x: 'y' } };
  expect(place(clusterOf('a1'), { spec })).toEqual({
    type: 'unschedulable',
    plugins: new Set(['NodeAffinity']),
    preemption: null,
    clearsNomination: false,
    message:
      "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. " +
      'no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.',
  });
});

test('contradicting node names are reported for all nodes at once', () => {
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

describe('pod affinity', () => {
  const term = (fields: JsonObject): JsonObject => ({
    topologyKey: 'zone',
    labelSelector: { matchLabels: { app: 'db' } },
    ...fields,
  });
  const near = (kind: string, fields: JsonObject = {}): JsonObject => ({
    affinity: { [kind]: { requiredDuringSchedulingIgnoredDuringExecution: [term(fields)] } },
  });

  test('matches pods anywhere in the same zone', () => {
    const cluster = clusterOf('a1', 'a2', 'b1');
    put(cluster, 'a1', 'db', { labels: { app: 'db' }, requests: { cpu: '3' } });
    expect(place(cluster, { spec: near('podAffinity') })).toEqual({ type: 'fits', node: 'a2' });
    const spec = near('podAntiAffinity');
    expect(place(cluster, { spec })).toEqual({ type: 'fits', node: 'b1' });
  });

  test("means the pod's own namespace, unless others are named or selected", () => {
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

  test('without a selector matches no pod', () => {
    const cluster = clusterOf('a1');
    put(cluster, 'a1', 'db', { labels: { app: 'db' } });
    const spec = near('podAntiAffinity', { labelSelector: null });
    expect(place(cluster, { spec }).type).toBe('fits');
  });

  test('needs a node that has the topology label', () => {
    const cluster = clusterOf('a1');
    put(cluster, 'a1', 'db', { labels: { app: 'db' } });
    const spec = near('podAffinity', { topologyKey: 'rack' });
    expect(place(cluster, { labels: { app: 'db' }, spec }).type).toBe('unschedulable');
  });
});

describe('topology spread', () => {
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

  test('counts pods of the same namespace that are not terminating', () => {
    const cluster = clusterOf('a1', 'b1');
    put(cluster, 'a1', 'x', { labels: web });
    put(cluster, 'b1', 'y', { labels: web, namespace: 'other' });
    put(cluster, 'b1', 'z', { labels: web, requests: { cpu: '3' }, isLeaving: true });
    expect(place(cluster, { labels: web, spec: spread() })).toEqual({ type: 'fits', node: 'b1' });
  });

  test('ignores ScheduleAnyway', () => {
    const cluster = clusterOf('a1');
    put(cluster, 'a1', 'x', { labels: web });
    const spec = spread({ whenUnsatisfiable: 'ScheduleAnyway', minDomains: 5 });
    expect(place(cluster, { labels: web, spec }).type).toBe('fits');
  });

  test('counts missing zones as empty when minDomains exceeds the zones that exist', () => {
    const cluster = clusterOf('a1', 'b1');
    put(cluster, 'a1', 'x', { labels: web });
    put(cluster, 'b1', 'y', { labels: web });
    expect(place(cluster, { labels: web, spec: spread() }).type).toBe('fits');
    const spec = spread({ minDomains: 3 });
    expect(place(cluster, { labels: web, spec }).type).toBe('unschedulable');
  });

  test('leaves out zones the pod cannot run in, unless nodeAffinityPolicy is Ignore', () => {
    const cluster = clusterOf('a1', 'b1');
    put(cluster, 'a1', 'x', { labels: web });
    const only = { nodeSelector: { zone: 'a' } };
    expect(place(cluster, { labels: web, spec: { ...spread(), ...only } }).type).toBe('fits');
    const all = spread({ nodeAffinityPolicy: 'Ignore' });
    expect(place(cluster, { labels: web, spec: { ...all, ...only } }).type).toBe('unschedulable');
  });
});
