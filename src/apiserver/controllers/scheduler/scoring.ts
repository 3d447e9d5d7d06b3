/**
 * Which of several nodes: the one with the largest free share of cpu and memory once the pod is there.
 *
 * A container that asks for nothing still uses something, so it counts with a little of both; else all
 * such pods would gather on one node. Among equals the one with fewer pods is taken, then the first.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { objectsAt, structAt } from '../../kinds/field-path.ts';
import type { Amounts } from './amounts.ts';
import type { NodeView } from './cluster.ts';
import type { PodView } from './pod-view.ts';

const ASSUMED: Amounts = new Map([
  ['cpu', 100n],
  ['memory', 200n * 1024n * 1024n],
]);
const SCORE_MAX = 100n;

/** How much a pod is expected to use, of what counts for the choice. */
export function assumedUse(pod: JsonObject, requests: Amounts): Amounts {
  const containers = objectsAt(pod, 'spec.containers');
  return new Map(
    [...ASSUMED].map(([name, amount]) => {
      const silent = containers.filter((container) => !asksFor(container, name));
      return [name, (requests.get(name) ?? 0n) + BigInt(silent.length) * amount];
    }),
  );
}

export function roomiest(pod: PodView, nodes: readonly NodeView[]): NodeView | undefined {
  const scored = nodes.map((node) => ({ node, score: scoreOf(pod, node) }));
  const [first, ...others] = scored;
  return others.reduce((best, one) => (best && isBetter(one, best) ? one : best), first)?.node;
}

interface Scored {
  readonly node: NodeView;
  readonly score: bigint;
}

function isBetter(a: Scored, b: Scored): boolean {
  if (a.score !== b.score) return a.score > b.score;
  const difference = a.node.load.pods.size - b.node.load.pods.size;
  return difference === 0 ? a.node.name < b.node.name : difference < 0;
}

function scoreOf(pod: PodView, { allocatable, load }: NodeView): bigint {
  const scores = [...ASSUMED.keys()].flatMap((name) => {
    const capacity = allocatable.get(name) ?? 0n;
    if (capacity <= 0n) return [];
    const used = (load.assumed.get(name) ?? 0n) + (pod.assumed.get(name) ?? 0n);
    return used > capacity ? 0n : ((capacity - used) * SCORE_MAX) / capacity;
  });
  if (scores.length === 0) return 0n;
  return scores.reduce((sum, score) => sum + score, 0n) / BigInt(scores.length);
}

function asksFor(container: JsonObject, name: string): boolean {
  return Object.hasOwn(structAt(container, 'resources.requests'), name);
}
