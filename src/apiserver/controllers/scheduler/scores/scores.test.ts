/** Expected scores are computed by hand from kube-scheduler's formulas. */
import { describe, expect, test } from 'vitest';
import {
  addToNode,
  schedulerNode,
  schedulerPod,
  type NodeShape,
  type PodShape,
} from '../../../../../test/support/scheduler-harness.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import type { LabelSelector } from '../../../../api/values/label-selector.ts';
import { Cluster } from '../cluster.ts';
import { bestOf, pickBest, scoreNodes, type ScoredNode } from './score-plugins.ts';
import { normalizeScores } from './normalize-scores.ts';

const MIB = 1024 * 1024;

function clusterOf(nodes: Readonly<Record<string, NodeShape>>): Cluster {
  const cluster = new Cluster();
  for (const [name, shape] of Object.entries(nodes)) cluster.putNode(schedulerNode(name, shape));
  return cluster;
}

function score(
  cluster: Cluster,
  shape: PodShape = {},
  selector: LabelSelector = [],
): readonly ScoredNode[] {
  const deps = { cluster, defaultSelector: () => selector };
  return scoreNodes(schedulerPod('new', shape), cluster.nodes(), deps);
}

/** The weighted score of one plugin, by node. Undefined: the plugin does not score this pod. */
function of(plugin: string, scored: readonly ScoredNode[]): unknown {
  return scored.map(({ scores }) => scores.get(plugin));
}

test('normalizing gives the highest 100, or 0 if reversed', () => {
  expect(normalizeScores([0, 1, 3], false)).toEqual([0, 33, 100]);
  expect(normalizeScores([0, 1, 3], true)).toEqual([100, 67, 0]);
  expect(normalizeScores([0, 0], false)).toEqual([0, 0]);
  expect(normalizeScores([0, 0], true)).toEqual([100, 100]);
});

test('among the best nodes one is drawn', () => {
  const cluster = clusterOf({ a: {}, b: {}, c: { allocatable: { cpu: '1' } } });
  const scored = score(cluster, { requests: { cpu: '500m' } });
  expect(bestOf(scored).map(({ node }) => node.name)).toEqual(['a', 'b']);
  expect(pickBest(scored, 0)?.name).toBe('a');
  expect(pickBest(scored, 0.99)?.name).toBe('b');
  expect(pickBest([], 0)).toBeUndefined();
});

describe('NodeResourcesFit', () => {
  test.each<[string, PodShape, PodShape, readonly number[]]>([
    // cpu (4000-1000)/4000 = 75, memory (8-2)/8 = 75; the other node has 2000m and 2Gi more.
    [
      'requests',
      { requests: { cpu: '1', memory: '2Gi' } },
      { requests: { cpu: '2', memory: '2Gi' } },
      [75, 37],
    ],
    // Without requests 100m and 200Mi count: cpu 97, memory (8192-200)/8192 = 97; then 95 and 95.
    ['no requests', {}, {}, [97, 95]],
    // Too much counts as nothing: cpu 0, memory 97; empty: cpu 25, memory 97.
    ['too much', { requests: { cpu: '3' } }, { requests: { cpu: '3' } }, [61, 47]],
  ])('%s', (_, pod, existing, expected) => {
    const cluster = clusterOf({ a: {}, b: {} });
    addToNode(cluster, 'b', 'x', existing);
    expect(of('NodeResourcesFit', score(cluster, pod))).toEqual(expected);
  });
});

describe('NodeResourcesBalancedAllocation', () => {
  test('prefers the node on which cpu and memory are used more evenly with the pod', () => {
    const cluster = clusterOf({ a: {}, b: {} });
    addToNode(cluster, 'b', 'x', { requests: { memory: '4Gi' } });
    // a: before 100, after 1-|0.5-0|/2 = 75: 50+(50+75-100)/2 = 62. b: before 75, after 100: 87.
    const scored = score(cluster, { requests: { cpu: '2' } });
    expect(of('NodeResourcesBalancedAllocation', scored)).toEqual([62, 87]);
  });

  test('does not score a pod without requests', () => {
    const scored = score(clusterOf({ a: {} }));
    expect(of('NodeResourcesBalancedAllocation', scored)).toEqual([undefined]);
  });
});

test('TaintToleration counts PreferNoSchedule taints that are not tolerated, three times', () => {
  const taint = (key: string): JsonObject => ({ key, value: '', effect: 'PreferNoSchedule' });
  const cluster = clusterOf({
    a: {},
    b: { taints: [taint('x')] },
    c: { taints: [taint('x'), taint('y')] },
  });
  expect(of('TaintToleration', score(cluster))).toEqual([300, 150, 0]);
  const tolerations = [{ key: 'x', operator: 'Exists', effect: 'PreferNoSchedule' }];
  expect(of('TaintToleration', score(cluster, { spec: { tolerations } }))).toEqual([300, 300, 0]);
  const other = [{ key: 'x', operator: 'Exists', effect: 'NoSchedule' }];
  expect(of('TaintToleration', score(cluster, { spec: { tolerations: other } }))).toEqual([
    300, 150, 0,
  ]);
});

test('NodeAffinity adds the weights of matching preferences, twice', () => {
  const cluster = clusterOf({
    a: { labels: { disk: 'ssd', gen: '7' } },
    b: { labels: { gen: '7' } },
    c: {},
  });
  const prefer = (weight: number, key: string, operator: string, values: string[]): JsonObject => ({
    weight,
    preference: { matchExpressions: [{ key, operator, values }] },
  });
  const preferred = [prefer(10, 'disk', 'In', ['ssd']), prefer(30, 'gen', 'Gt', ['5'])];
  const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: preferred };
  const scored = score(cluster, { spec: { affinity: { nodeAffinity } } });
  expect(of('NodeAffinity', scored)).toEqual([200, 150, 0]);
  expect(of('NodeAffinity', score(cluster))).toEqual([undefined, undefined, undefined]);
});

describe('InterPodAffinity', () => {
  const term = { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'db' } } };
  const preferred = (kind: string): JsonObject => ({
    affinity: {
      [kind]: {
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 40, podAffinityTerm: term }],
      },
    },
  });
  const required = {
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
  };
  const nodes = { a: { labels: { zone: '1' } }, b: { labels: { zone: '2' } }, c: {} };
  const db = { app: 'db' };

  test('of the new pod', () => {
    const cluster = clusterOf(nodes);
    addToNode(cluster, 'a', 'x', { labels: db });
    const near = score(cluster, { spec: preferred('podAffinity') });
    expect(of('InterPodAffinity', near)).toEqual([200, 0, 0]);
    const far = score(cluster, { spec: preferred('podAntiAffinity') });
    expect(of('InterPodAffinity', far)).toEqual([0, 200, 200]);
  });

  test('of existing pods, whose required affinity counts with weight 1', () => {
    const cluster = clusterOf(nodes);
    addToNode(cluster, 'a', 'x', { spec: preferred('podAffinity') });
    addToNode(cluster, 'b', 'y', { spec: required });
    // 40 in zone 1, 1 in zone 2, 0 elsewhere: 1/40 of 100 is 2.
    expect(of('InterPodAffinity', score(cluster, { labels: db }))).toEqual([200, 4, 0]);
    expect(of('InterPodAffinity', score(cluster))).toEqual([undefined, undefined, undefined]);
  });
});

describe('PodTopologySpread', () => {
  const nodes = { a: { labels: { zone: '1' } }, b: { labels: { zone: '2' } }, c: {} };
  const web = { app: 'web' };
  const spread = (fields: JsonObject = {}): JsonObject => ({
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'zone',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: web },
        ...fields,
      },
    ],
  });

  test('prefers the zone with fewer pods; a node without the label gets nothing', () => {
    const cluster = clusterOf(nodes);
    addToNode(cluster, 'a', 'x', { labels: web });
    addToNode(cluster, 'a', 'y', { labels: web });
    addToNode(cluster, 'b', 'z', { labels: web });
    // Counts 2 and 1, times log(2+2): 2.77 and 1.39, so 3 and 1: (3+1-3)/3 = 33 and 100.
    expect(of('PodTopologySpread', score(cluster, { spec: spread() }))).toEqual([66, 200, 0]);
  });

  test('a hard constraint scores nothing', () => {
    const spec = spread({ whenUnsatisfiable: 'DoNotSchedule' });
    const scored = score(clusterOf(nodes), { spec });
    expect(of('PodTopologySpread', scored)).toEqual([undefined, undefined, undefined]);
  });

  test('pods of a Service are spread over hosts and zones by default', () => {
    const cluster = clusterOf({ a: {}, b: {} });
    addToNode(cluster, 'a', 'x', { labels: web });
    const selector = [{ key: 'app', operator: '=', values: ['web'] }] as const;
    // Hosts: 1 * log(4) + 2 = 3.39 and 0 + 2 = 2, so 3 and 2: (3+2-3)/3 = 66 and 100.
    expect(of('PodTopologySpread', score(cluster, {}, selector))).toEqual([132, 200]);
    expect(of('PodTopologySpread', score(cluster))).toEqual([undefined, undefined]);
  });
});

test('ImageLocality counts the size of images, reduced by how few nodes have them', () => {
  const images = [{ names: ['app:latest'], sizeBytes: 1046 * MIB }];
  const cluster = clusterOf({ a: { images }, b: {} });
  // 1046 MiB on one of two nodes is 523 MiB: (523-23)/(1000-23) is 51 %.
  expect(of('ImageLocality', score(cluster))).toEqual([51, 0]);
  cluster.putNode(schedulerNode('b', { images }));
  expect(of('ImageLocality', score(cluster))).toEqual([100, 100]);
  cluster.deleteNode('a');
  expect(of('ImageLocality', score(cluster))).toEqual([100]);
});
