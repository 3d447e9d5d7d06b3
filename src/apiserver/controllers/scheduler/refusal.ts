/**
 * The result of a filter that refuses a node: kube-scheduler's message, and the name of the plugin. The
 * plugin determines which later changes can help (queue/queueing-hints.ts).
 */
import type { NodeView } from './cluster.ts';
import type { PodView } from './pod-view.ts';

export type PluginName =
  | 'NodeUnschedulable'
  | 'TaintToleration'
  | 'NodeAffinity'
  | 'NodePorts'
  | 'NodeResourcesFit'
  | 'VolumeRestrictions'
  | 'NodeVolumeLimits'
  | 'VolumeBinding'
  | 'VolumeZone'
  | 'PodTopologySpread'
  | 'InterPodAffinity'
  | 'DynamicResources';

export interface Refusal {
  readonly plugin: PluginName;
  readonly reasons: readonly string[];
  /**
   * Whether removing pods from the node could help. In kube-scheduler: Unschedulable, not
   * UnschedulableAndUnresolvable.
   */
  readonly isResolvable: boolean;
}

/** Decides for one pod whether a node fits. */
export interface NodeFilter {
  /** Null: the node fits. */
  check(node: NodeView): Refusal | null;
  /** Absent: the filter does not depend on pods of other nodes. */
  readonly counts?: PodCounts;
}

/** The counts of a filter over the pods of the cluster. A dry run changes a copy. */
export interface PodCounts {
  /** `pod` is added to the node, or removed from it. */
  change(pod: PodView, node: NodeView, sign: 1 | -1): void;
  copy(): NodeFilter;
}

export function refuseNode(plugin: PluginName, reason: string, isResolvable = false): Refusal {
  return { plugin, reasons: [reason], isResolvable };
}
