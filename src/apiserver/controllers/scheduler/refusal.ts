/** Why a pod cannot be on a node, in the scheduler's words. */
import type { NodeView } from './cluster.ts';

/** What has to change before it makes sense to try again. */
export type Hope = 'nodes' | 'pods' | 'volumes';

export interface Refusal {
  readonly reasons: readonly string[];
  /** Would it help if other pods left the node? */
  readonly lasts: 'for good' | 'while others are there';
  readonly hope: Hope;
}

/** Null: nothing is against this node. */
export type Filter = (node: NodeView) => Refusal | null;

export function refuse(
  reason: string,
  lasts: Refusal['lasts'],
  hope: Hope = lasts === 'for good' ? 'nodes' : 'pods',
): Refusal {
  return { reasons: [reason], lasts, hope };
}
