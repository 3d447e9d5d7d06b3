/**
 * Why a pod cannot run on a node, in kube-scheduler's words, and which of its plugins says so: the plugins
 * decide which later changes can help (queue/queueing-hints.ts).
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
  /** Could it help to remove pods from the node? kube-scheduler: Unschedulable, not …AndUnresolvable. */
  readonly isResolvable: boolean;
}

/** Decides for one pod whether a node fits. */
export interface NodeFilter {
  /** Null: the node fits. */
  check(node: NodeView): Refusal | null;
  /** Absent: the filter depends on no pods of other nodes. */
  readonly counts?: PodCounts;
}

/** What a filter has counted over the pods of the cluster; a dry run changes a copy. */
export interface PodCounts {
  /** `pod` is added to the node, or removed from it. */
  change(pod: PodView, node: NodeView, sign: 1 | -1): void;
  copy(): NodeFilter;
}

export function refuseNode(plugin: PluginName, reason: string, isResolvable = false): Refusal {
  return { plugin, reasons: [reason], isResolvable };
}
