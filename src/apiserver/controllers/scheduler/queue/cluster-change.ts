/** A change of the cluster that could make an unschedulable pod schedulable. */
import type { JsonObject } from '../../../../lib/json.ts';
import type { NodeView } from '../cluster.ts';
import type { PodView } from '../pod-view.ts';

export type ClusterChange =
  /** Null after: deleted; null before: new. */
  | { readonly kind: 'node'; readonly before: NodeView | null; readonly after: NodeView | null }
  /** Of a pod on a node. */
  | { readonly kind: 'pod'; readonly before: PodView | null; readonly after: PodView | null }
  | { readonly kind: 'claim'; readonly after: JsonObject | null }
  /** A volume, a class, capacity, an attachment or what a node can attach. */
  | { readonly kind: 'storage' }
  | { readonly kind: 'namespace' }
  /** A PodDisruptionBudget allows more. */
  | { readonly kind: 'budget' };
