import { describe, expect, test } from 'vitest';
import {
  schedulerNode,
  schedulerPod,
  type NodeShape,
  type PodShape,
} from '../../../../../test/support/scheduler-harness.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { viewNode } from '../cluster.ts';
import type { PluginName } from '../refusal.ts';
import type { ClusterChange } from './cluster-change.ts';
import { couldHelp } from './queueing-hints.ts';

function helps(plugin: PluginName | null, shape: PodShape, change: ClusterChange): boolean {
  const plugins = new Set(plugin === null ? [] : [plugin]);
  return couldHelp(schedulerPod('new', shape), plugins, change, () => ({}));
}

function nodeChange(before: NodeShape | null, after: NodeShape | null): ClusterChange {
  const view = (shape: NodeShape | null) => shape && viewNode(schedulerNode('n', shape));
  return { kind: 'node', before: view(before), after: view(after) };
}

function podChange(before: PodShape | null, after: PodShape | null): ClusterChange {
  const view = (shape: PodShape | null) =>
    shape && schedulerPod('x', { ...shape, spec: { ...shape.spec, nodeName: 'n' } });
  return { kind: 'pod', before: view(before), after: view(after) };
}

const db = { app: 'db' };
const term = { topologyKey: 'zone', labelSelector: { matchLabels: db } };
const near = (kind: string): PodShape => ({
  spec: { affinity: { [kind]: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } },
});
const spread: PodShape = {
  spec: {
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'zone',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: db },
      },
    ],
  },
};
const claim: JsonObject = { metadata: { name: 'data', namespace: 'default' } };
const usesClaim: PodShape = {
  spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] },
};
const taints = [{ key: 'k', value: '', effect: 'NoSchedule' }];
const hasPort: PodShape = {
  spec: { containers: [{ name: 'c', ports: [{ containerPort: 80, hostPort: 80 }] }] },
};
const zoned = { labels: { zone: '1' } };

describe('a pod refused by a plugin is tried again', () => {
  test.each<[string, PluginName | null, PodShape, ClusterChange]>([
    ['a first node comes', null, {}, nodeChange(null, {})],
    ['a node comes', 'NodeUnschedulable', {}, nodeChange(null, {})],
    ['a taint goes', 'TaintToleration', {}, nodeChange({ taints }, {})],
    [
      'a node gets the label',
      'NodeAffinity',
      { spec: { nodeSelector: { zone: '1' } } },
      nodeChange({}, zoned),
    ],
    ['a pod frees a port', 'NodePorts', hasPort, podChange(hasPort, null)],
    ['a pod is deleted', 'NodeResourcesFit', {}, podChange({}, null)],
    [
      'a pod is resized down',
      'NodeResourcesFit',
      { requests: { cpu: '1' } },
      podChange({ requests: { cpu: '2' } }, { requests: { cpu: '1' } }),
    ],
    [
      'a node grows',
      'NodeResourcesFit',
      { requests: { cpu: '1' } },
      nodeChange({ allocatable: { cpu: '1' } }, { allocatable: { cpu: '2' } }),
    ],
    ['its claim changes', 'VolumeBinding', usesClaim, { kind: 'claim', after: claim }],
    ['a volume or class changes', 'VolumeBinding', usesClaim, { kind: 'storage' }],
    ['a user of its claim leaves', 'VolumeRestrictions', usesClaim, podChange(usesClaim, null)],
    ['a matching pod leaves', 'PodTopologySpread', spread, podChange({ labels: db }, null)],
    ['a new zone comes', 'PodTopologySpread', spread, nodeChange(null, zoned)],
    [
      'a matching pod comes',
      'InterPodAffinity',
      near('podAffinity'),
      podChange(null, { labels: db }),
    ],
    [
      'an unwanted pod leaves',
      'InterPodAffinity',
      near('podAntiAffinity'),
      podChange({ labels: db }, null),
    ],
    [
      'a pod that keeps it away leaves',
      'InterPodAffinity',
      { labels: db },
      podChange(near('podAntiAffinity'), null),
    ],
    ['a budget allows more', 'NodeResourcesFit', {}, { kind: 'budget' }],
    ['a namespace is labelled', 'InterPodAffinity', {}, { kind: 'namespace' }],
  ])('when %s (%s)', (_, plugin, pod, change) => {
    expect(helps(plugin, pod, change)).toBe(true);
  });
});

describe('it is not tried again', () => {
  test.each<[string, PluginName | null, PodShape, ClusterChange]>([
    ['a pod leaves and there are no nodes', null, {}, podChange({}, null)],
    ['a node has another taint', 'TaintToleration', {}, nodeChange(null, { taints })],
    [
      'a node comes without the label',
      'NodeAffinity',
      { spec: { nodeSelector: { zone: '1' } } },
      nodeChange(null, {}),
    ],
    ['a pod without the port leaves', 'NodePorts', hasPort, podChange({}, null)],
    ['a pod comes', 'NodeResourcesFit', {}, podChange(null, {})],
    [
      'a node comes that is too small',
      'NodeResourcesFit',
      { requests: { cpu: '9' } },
      nodeChange(null, {}),
    ],
    [
      'another claim changes',
      'VolumeBinding',
      usesClaim,
      { kind: 'claim', after: { metadata: { name: 'x', namespace: 'default' } } },
    ],
    ['a volume changes', 'NodeResourcesFit', {}, { kind: 'storage' }],
    ['another pod leaves', 'PodTopologySpread', spread, podChange({}, null)],
    ['a node without the label comes', 'PodTopologySpread', spread, nodeChange(null, {})],
    ['another pod comes', 'InterPodAffinity', near('podAffinity'), podChange(null, {})],
    ['anything happens', 'DynamicResources', {}, nodeChange(null, {})],
  ])('when %s (%s)', (_, plugin, pod, change) => {
    expect(helps(plugin, pod, change)).toBe(false);
  });
});

test('the spread constraints of a refused pod are read once, not for each change', () => {
  let reads = 0;
  const constraint: JsonObject = {
    topologyKey: 'zone',
    whenUnsatisfiable: 'DoNotSchedule',
    get labelSelector() {
      reads += 1;
      return { matchLabels: db };
    },
  };
  const pod = schedulerPod('new', { spec: { topologySpreadConstraints: [constraint] } });
  const wakes = (change: ClusterChange): boolean =>
    couldHelp(pod, new Set<PluginName>(['PodTopologySpread']), change, () => ({}));
  expect(wakes(podChange(null, {}))).toBe(false);
  expect(wakes(podChange(null, { labels: db }))).toBe(true);
  expect(wakes(nodeChange(null, zoned))).toBe(true);
  expect(reads).toBe(1);
});
