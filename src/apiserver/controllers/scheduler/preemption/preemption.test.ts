import { describe, expect, test, vi } from 'vitest';
import {
  addToNode,
  placementDeps,
  schedulerNode,
  schedulerPod,
  type PodShape,
} from '../../../../../test/support/scheduler-harness.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { Cluster } from '../cluster.ts';
import { placePod, type Placement } from '../placement.ts';
import { chooseCandidate } from './candidate-choice.ts';
import { readBudget, type DisruptionBudget } from './disruption-budgets.ts';
import type { Candidate } from './victims.ts';

function clusterOf(...names: readonly string[]): Cluster {
  const cluster = new Cluster();
  for (const name of names) cluster.putNode(schedulerNode(name));
  return cluster;
}

function running(priority: number, cpu: string, more: PodShape = {}, minute = 0): PodShape {
  return {
    requests: { cpu },
    ...more,
    spec: { priority, ...more.spec },
    status: { startTime: `2030-01-01T00:${String(minute).padStart(2, '0')}:00Z`, ...more.status },
  };
}

function place(
  cluster: Cluster,
  shape: PodShape,
  budgets: readonly DisruptionBudget[] = [],
): Placement {
  return placePod(schedulerPod('new', shape), placementDeps(cluster, { budgets: () => budgets }));
}

function victimsOf(placement: Placement): unknown {
  if (placement.type === 'fits' || !placement.preemption) return null;
  const { node, victims } = placement.preemption;
  return [node, ...victims.map(({ name }) => name)];
}

const SHORT = '0/1 nodes are available: 1 Insufficient cpu.';

test('only as many pods of lower priority are preempted as needed, the least important ones', () => {
  const cluster = clusterOf('a');
  addToNode(cluster, 'a', 'old', running(1, '1', {}, 1));
  addToNode(cluster, 'a', 'young', running(1, '1', {}, 2));
  addToNode(cluster, 'a', 'middle', running(5, '1'));
  addToNode(cluster, 'a', 'equal', running(10, '1'));
  const placement = place(cluster, running(10, '1'));
  expect(victimsOf(placement)).toEqual(['a', 'young']);
  expect(placement).toMatchObject({ message: SHORT });
  expect(victimsOf(place(cluster, running(10, '2')))).toEqual(['a', 'old', 'young']);
});

test('the message says why there is no preemption', () => {
  const cluster = clusterOf('a');
  addToNode(cluster, 'a', 'equal', running(10, '4'));
  const none = 'no new claims to deallocate, preemption:';
  expect(place(cluster, running(10, '1'))).toMatchObject({
    message: `${SHORT} ${none} 0/1 nodes are available: 1 No preemption victims found for incoming pod.`,
    preemption: null,
    clearsNomination: true,
  });
  addToNode(cluster, 'a', 'low', running(1, '1'));
  expect(place(cluster, running(10, '1'))).toMatchObject({
    message: `${SHORT} ${none} ${SHORT}`,
  });
  expect(place(cluster, running(10, '9'))).toMatchObject({
    message: `${SHORT} ${none} 0/1 nodes are available: 1 Preemption is not helpful for scheduling.`,
  });
  const never = running(10, '1', { spec: { preemptionPolicy: 'Never' } });
  expect(place(cluster, never)).toMatchObject({
    message: `${SHORT} ${none} not eligible due to preemptionPolicy=Never.`,
    clearsNomination: false,
  });
});

test('while victims end, no others are preempted', () => {
  const cluster = clusterOf('a');
  const condition = { type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' };
  const ending = running(1, '4', { isLeaving: true, status: { conditions: [condition] } });
  addToNode(cluster, 'a', 'ending', ending);
  const preemptor = running(10, '1', { status: { nominatedNodeName: 'a' } });
  expect(place(cluster, preemptor)).toMatchObject({
    message: `${SHORT} no new claims to deallocate, preemption: not eligible due to a terminating pod on the nominated node.`,
    clearsNomination: false,
  });
});

test('pods that were nominated for a node count on it, unless their priority is lower', () => {
  const cluster = clusterOf('a');
  const nominated = schedulerPod('first', running(10, '3'));
  cluster.nominations.set(nominated, 'a');
  expect(place(cluster, running(10, '2')).type).toBe('unschedulable');
  expect(place(cluster, running(20, '2')).type).toBe('fits');
  expect(place(cluster, running(10, '1')).type).toBe('fits');
  cluster.nominations.delete(nominated.key);
  expect(place(cluster, running(10, '2')).type).toBe('fits');
  expect(cluster.node('a')?.load.pods.size).toBe(0);
});

test('a nominated pod goes to its node if that fits, whatever the scores', () => {
  const cluster = clusterOf('a', 'b');
  addToNode(cluster, 'b', 'x', running(1, '3'));
  const placement = place(cluster, running(1, '1', { status: { nominatedNodeName: 'b' } }));
  expect(placement).toMatchObject({ type: 'fits', node: { name: 'b' } });
});

test('preemption makes way for anti-affinity and for spreading', () => {
  const cluster = clusterOf('a');
  const term = {
    topologyKey: 'kubernetes.io/hostname',
    labelSelector: { matchLabels: { app: 'db' } },
  };
  addToNode(cluster, 'a', 'db', running(1, '1', { labels: { app: 'db' } }));
  addToNode(cluster, 'a', 'web', running(1, '1'));
  const required = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
  const spec = { affinity: { podAntiAffinity: required } };
  expect(victimsOf(place(cluster, running(5, '1', { spec })))).toEqual(['a', 'db']);
});

describe('disruption budgets', () => {
  test('are read once, and only if preemption could help', () => {
    const cluster = clusterOf('a', 'b');
    const budgets = vi.fn<() => readonly DisruptionBudget[]>(() => []);
    const tryPod = (cpu: string): unknown => {
      const deps = placementDeps(cluster, { budgets });
      return victimsOf(placePod(schedulerPod('new', running(10, cpu)), deps));
    };
    for (const node of ['a', 'b']) addToNode(cluster, node, `equal-${node}`, running(10, '2'));
    expect(tryPod('3')).toBeNull();
    for (const node of ['a', 'b']) addToNode(cluster, node, `low-${node}`, running(1, '2'));
    expect(tryPod('3')).toBeNull();
    expect(budgets).not.toHaveBeenCalled();
    expect(tryPod('1')).toEqual(['a', 'low-a']);
    expect(budgets).toHaveBeenCalledTimes(1);
  });

  const budget = (allowed: number, disruptedPods: JsonObject = {}): DisruptionBudget => {
    const read = readBudget({
      metadata: { name: 'b', namespace: 'default' },
      spec: { selector: { matchLabels: { app: 'db' } } },
      status: { disruptionsAllowed: allowed, disruptedPods },
    });
    if (!read) throw new Error('no budget');
    return read;
  };
  const db = { labels: { app: 'db' } };

  test('protect pods as long as others can go', () => {
    const cluster = clusterOf('a');
    addToNode(cluster, 'a', 'db', running(1, '2', db, 5));
    addToNode(cluster, 'a', 'web', running(2, '2'));
    const wish = running(9, '2');
    expect(victimsOf(place(cluster, wish))).toEqual(['a', 'db']);
    expect(victimsOf(place(cluster, wish, [budget(0)]))).toEqual(['a', 'web']);
    expect(victimsOf(place(cluster, wish, [budget(1)]))).toEqual(['a', 'db']);
    expect(victimsOf(place(cluster, wish, [budget(0, { db: 'now' })]))).toEqual(['a', 'db']);
  });

  test('are violated if there is no other way, on the node with the fewest violations', () => {
    const cluster = clusterOf('a', 'b');
    addToNode(cluster, 'a', 'db-1', running(1, '4', db));
    addToNode(cluster, 'b', 'web', running(5, '4'));
    expect(victimsOf(place(cluster, running(9, '2'), [budget(0)]))).toEqual(['b', 'web']);
    cluster.deleteNode('b');
    expect(victimsOf(place(cluster, running(9, '2'), [budget(0)]))).toEqual(['a', 'db-1']);
  });

  test('without a selector, or with an empty one, select nothing', () => {
    const metadata = { name: 'b', namespace: 'default' };
    expect(readBudget({ metadata, spec: {} })).toBeNull();
    expect(readBudget({ metadata, spec: { selector: {} } })).toBeNull();
  });
});

describe('the node to preempt on is that with', () => {
  const candidate = (
    node: string,
    violations: number,
    victims: readonly (readonly [priority: number, minute: number])[],
  ): Candidate => ({
    node,
    violations,
    victims: victims.map(([priority, minute], index) =>
      schedulerPod(`${node}${index}`, running(priority, '1', {}, minute)),
    ),
  });
  test.each<[string, readonly Candidate[]]>([
    ['fewest violated budgets', [candidate('x', 1, [[0, 1]]), candidate('best', 0, [[9, 1]])]],
    [
      'the lowest highest priority',
      [
        candidate('x', 0, [[5, 1]]),
        candidate('best', 0, [
          [4, 1],
          [4, 1],
        ]),
      ],
    ],
    [
      'the lowest sum',
      [
        candidate('x', 0, [
          [5, 1],
          [4, 1],
        ]),
        candidate('best', 0, [
          [5, 1],
          [1, 1],
        ]),
      ],
    ],
    [
      'the fewest victims',
      [
        candidate('x', 0, [
          [5, 1],
          [-(2 ** 31), 1],
        ]),
        candidate('best', 0, [[5, 1]]),
      ],
    ],
    ['the latest start', [candidate('x', 0, [[5, 1]]), candidate('best', 0, [[5, 2]])]],
  ])('%s', (_, candidates) => {
    expect(chooseCandidate(candidates)?.node).toBe('best');
    expect(chooseCandidate(candidates.toReversed())?.node).toBe('best');
  });
});
