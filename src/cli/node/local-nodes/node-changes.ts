/** Decides which nodes may be added to a running podkeep, and which may be removed (pure). */
import { defineError } from '../../../lib/errors.ts';
import { isEndpoint } from '../runtime-choice.ts';
import { NODES_MAX } from './node-limit.ts';
import { checkNodeName, nodeNameTaken } from './node-plan.ts';

const nodesTooMany = defineError<{ count: number }>({
  code: 'NODES_TOO_MANY',
  retry: 'never',
  message: ({ count }) => `podkeep runs ${count} nodes already, which is the most`,
  hint: () => 'Remove one that is not needed: podkeep node remove NAME.',
});

const nodesShareRuntime = defineError<{ runtime: string }>({
  code: 'NODES_SHARE_RUNTIME',
  retry: 'never',
  message: ({ runtime }) =>
    `${runtime} can run one node only: a second one would stop the pods of the first`,
  hint: () => 'Use --runtime process or --runtime simulated for several nodes.',
});

const nodeUnknown = defineError<{ name: string; names: readonly string[] }>({
  code: 'NODE_UNKNOWN',
  retry: 'never',
  message: ({ name }) => `this podkeep runs no node ${name}`,
  hint: ({ names }) => `It runs ${names.join(', ')}.`,
});

const lastNode = defineError<{ name: string }>({
  code: 'LAST_NODE',
  retry: 'never',
  message: ({ name }) => `${name} is the last node of this podkeep and stays`,
  hint: () => 'Add another node first, or stop podkeep with `podkeep down`.',
});

export const nodesClosing = defineError<Readonly<Record<string, never>>>({
  code: 'NODES_CLOSING',
  retry: 'never',
  message: () => 'podkeep is stopping',
  hint: () => 'Start it again with `podkeep up`.',
});

/** `names`: of all nodes. Throws NODE_NAME_INVALID, NODE_NAME_TAKEN, NODES_TOO_MANY, NODES_SHARE_RUNTIME. */
export function checkNewNode(name: string, names: readonly string[], runtime: string): void {
  checkNodeName(name);
  if (names.includes(name)) throw nodeNameTaken({ name });
  if (names.length >= NODES_MAX) throw nodesTooMany({ count: names.length });
  refuseSharedRuntime(runtime, names.length + 1);
}

/** A container runtime does not know which node a pod belongs to. Throws NODES_SHARE_RUNTIME. */
export function refuseSharedRuntime(runtime: string, nodes: number): void {
  if (nodes > 1 && isEndpoint(runtime)) throw nodesShareRuntime({ runtime });
}

/** Returns the node. Throws NODE_UNKNOWN or LAST_NODE. */
export function checkRemoval<Found>(name: string, nodes: ReadonlyMap<string, Found>): Found {
  const found = nodes.get(name);
  if (found === undefined) throw nodeUnknown({ name, names: [...nodes.keys()] });
  if (nodes.size === 1) throw lastNode({ name });
  return found;
}
