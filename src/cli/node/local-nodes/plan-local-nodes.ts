/**
 * Determines which nodes `podkeep up` runs, from its options and its data folder. This is checked before
 * anything is served.
 */
import { hostname } from 'node:os';
import type { KubeletConfig } from '../../config/kubelet-config.ts';
import type { DataFolder } from '../../data-folder.ts';
import { runtimeChoice } from '../runtime-choice.ts';
import { refuseSharedRuntime } from './node-changes.ts';
import { planNodes, type PlannedNode } from './node-plan.ts';
import { readNodeRecord } from './node-record.ts';

export interface NodesOptions {
  /** Of --nodes; absent: those of the data folder. */
  readonly nodes?: number;
  /** Of the first node; absent: that of this machine. */
  readonly name?: string;
  /** Absent: as the configuration says. */
  readonly runtime?: string;
}

export interface PlannedNodes {
  readonly nodes: readonly PlannedNode[];
  readonly baseName: string;
  readonly runtime: string;
}

/** Throws NODES_RECORDED, NODE_RECORD_BROKEN, NODE_NAME_INVALID, NODE_NAME_TAKEN or NODES_SHARE_RUNTIME. */
export function planLocalNodes(
  options: NodesOptions,
  folder: DataFolder,
  config: Pick<KubeletConfig, 'containerRuntimeEndpoint'>,
): PlannedNodes {
  const { name, nodes: count } = options;
  const baseName = name ?? hostname().toLowerCase();
  const runtime = runtimeChoice(options.runtime, config);
  const nodes = planNodes({
    root: folder.root,
    recorded: readNodeRecord(folder),
    count,
    baseName,
  });
  refuseSharedRuntime(runtime, nodes.length);
  return { nodes, baseName, runtime };
}
