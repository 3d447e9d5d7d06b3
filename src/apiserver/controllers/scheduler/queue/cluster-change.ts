/** A change of the cluster that could make an unschedulable pod schedulable. */
import type { JsonObject } from '../../../../lib/json.ts';
import type { NodeView } from '../cluster.ts';
import type { PodView } from '../pod-view.ts';

export type ClusterChange =
  /** `after` null: deleted; `before` null: new. */
  | { readonly kind: 'node'; readonly before: NodeView | null; readonly after: NodeView | null }
  /** A pod that is bound to a node. */
  | { readonly kind: 'pod'; readonly before: PodView | null; readonly after: PodView | null }
  | { readonly kind: 'claim'; readonly after: JsonObject | null }
  /** A PersistentVolume, StorageClass, CSIStorageCapacity, VolumeAttachment or CSINode. */
  | { readonly kind: 'storage' }
  | { readonly kind: 'namespace' }
  /** A PodDisruptionBudget allows more disruptions. */
  | { readonly kind: 'budget' };
