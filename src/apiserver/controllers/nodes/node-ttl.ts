/**
 * Computes for how many seconds kubelets may cache Secrets and ConfigMaps, by the number of nodes: in a large
 * cluster, fresher copies would cost too many requests.
 *
 *     nodes    up to 100   500   1000   2000   more
 *     seconds          0    15     30     60    300
 *
 * The ranges overlap by a tenth, so that a cluster at a boundary does not go back and forth.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { readText } from '../../../api/validation/json-reading.ts';
import { structAt } from '../../objects/field-path.ts';
import { withMetadata } from '../../objects/metadata.ts';

export const TTL_ANNOTATION = 'node.alpha.kubernetes.io/ttl';

interface Boundary {
  readonly nodesMin: number;
  readonly nodesMax: number;
  readonly seconds: number;
}

const BOUNDARIES: readonly Boundary[] = [
  { nodesMin: 0, nodesMax: 100, seconds: 0 },
  { nodesMin: 90, nodesMax: 500, seconds: 15 },
  { nodesMin: 450, nodesMax: 1000, seconds: 30 },
  { nodesMin: 900, nodesMax: 2000, seconds: 60 },
  { nodesMin: 1800, nodesMax: Number.POSITIVE_INFINITY, seconds: 300 },
];

/** The step for this number of nodes, coming from another step; the first one is 0. */
export function ttlStep(before: number, nodes: number): number {
  const boundary = BOUNDARIES[before];
  if (boundary && nodes > boundary.nodesMax) return ttlStep(before + 1, nodes);
  if (boundary && nodes < boundary.nodesMin) return ttlStep(before - 1, nodes);
  return before;
}

export function ttlSeconds(step: number): number {
  return BOUNDARIES[step]?.seconds ?? 0;
}

/** The very same node if it has the annotation already. */
export function withTtl(node: JsonObject, seconds: number): JsonObject {
  const annotations = structAt(node, 'metadata.annotations');
  const text = readText(annotations[TTL_ANNOTATION]);
  if (/^[+-]?\d+$/.test(text) && Number(text) === seconds) return node;
  return withMetadata(node, {
    annotations: { ...annotations, [TTL_ANNOTATION]: String(seconds) },
  });
}
