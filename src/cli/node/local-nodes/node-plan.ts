/**
 * Decides which nodes a `podkeep up` runs: those of the data folder, and as many more as --nodes asks for (pure).
 *
 *     recorded   --nodes   result
 *     3          absent    the three
 *     3          5         the three, and two more: NAME-2, NAME-3 … with the first numbers that are free
 *     3          2         refused: the user must say which node to remove, and what happens to its pods
 */
import path from 'node:path';
import { rangesOverlap } from '../../../runtimes/process/sandbox/address-ranges.ts';
import { defineError } from '../../../lib/errors.ts';
import { faultOfNodeName, freeNodeName, nodeNameInvalid } from './node-name.ts';
import type { RecordedNode } from './node-record.ts';

export interface NodePlanRequest {
  /** The data folder. */
  readonly root: string;
  readonly recorded: readonly RecordedNode[];
  /** Of --nodes; absent: those that are recorded. */
  readonly count?: number | undefined;
  /** Of --name, or the name of this machine. */
  readonly baseName: string;
}

export interface PlannedNode extends RecordedNode {
  readonly name: string;
  readonly isFirst: boolean;
}

export const nodeNameTaken = defineError<{ name: string }>({
  code: 'NODE_NAME_TAKEN',
  retry: 'never',
  message: ({ name }) => `there is a node ${name} already`,
  hint: () => 'Choose another name; `podkeep get nodes` lists those that are taken.',
});

const nodesRecorded = defineError<{ count: number; names: readonly string[] }>({
  code: 'NODES_RECORDED',
  retry: 'never',
  message: ({ count, names }) =>
    `--nodes ${count} is too few: the data folder has ${names.length} nodes, ${names.join(', ')}`,
  hint: ({ names }) =>
    `Leave --nodes out, or start podkeep and run: podkeep node remove ${names.at(-1)}`,
});

/** Throws NODES_RECORDED, NODE_NAME_TAKEN or NODE_NAME_INVALID. */
export function planNodes(request: NodePlanRequest): readonly PlannedNode[] {
  const { root, recorded, baseName, count = recorded.length } = request;
  const nodes = recorded.map(({ name, folder }, index) => ({
    name: name ?? baseName,
    folder,
    isFirst: index === 0,
  }));
  const names = nodes.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw nodeNameTaken({ name: twice });
  if (count < nodes.length) throw nodesRecorded({ count, names });
  while (nodes.length < count) {
    const name = freeNodeName(baseName, (each) => nodes.some((node) => node.name === each));
    checkNodeName(name);
    nodes.push({ name, folder: freeFolder(root, name, nodes), isFirst: false });
  }
  return nodes;
}

/** Throws NODE_NAME_INVALID. */
export function checkNodeName(name: string): void {
  const reason = faultOfNodeName(name);
  if (reason !== null) throw nodeNameInvalid({ name, reason });
}

/**
 * Below the data folder. Addresses of pods are derived from it, so one whose addresses could be those of
 * another node gets a number.
 */
export function freeFolder(
  root: string,
  name: string,
  nodes: readonly Pick<RecordedNode, 'folder'>[],
): string {
  const runtimeOf = (folder: string): string => path.join(root, folder, 'runtime');
  for (let number = 1; ; number += 1) {
    // No name of a node has two dots in a row, so no other node can have this folder.
    const folder = `nodes/${name}${number === 1 ? '' : `..${number}`}`;
    const collides = (other: string): boolean =>
      other === folder || rangesOverlap(runtimeOf(other), runtimeOf(folder));
    if (!nodes.some((node) => collides(node.folder))) return folder;
  }
}
