/**
 * Writes kube-scheduler's message about why no node fits: `0/3 nodes are available: 1 Insufficient cpu, …`.
 */
import type { Refusal } from './refusal.ts';

export const NO_NODES = 'no nodes available to schedule pods';
/**
 * The message of kube-scheduler's DynamicResources plugin after a failure, for a pod without resource claims.
 */
export const NO_CLAIMS = 'no new claims to deallocate';

/** `absent`: the reason for nodes without a refusal. */
export function fitMessage(
  nodes: number,
  refusals: readonly Refusal[],
  absent: string | null,
): string {
  const counts = new Map<string, number>();
  const count = (reason: string, times: number): void => {
    counts.set(reason, (counts.get(reason) ?? 0) + times);
  };
  for (const { reasons } of refusals) for (const reason of reasons) count(reason, 1);
  if (absent !== null && refusals.length < nodes) count(absent, nodes - refusals.length);
  const parts = [...counts].map(([reason, times]) => `${times} ${reason}`).sort(byBytes);
  return `${headline(nodes)}${parts.length === 0 ? '' : ` ${parts.join(', ')}.`}`;
}

/** The message about an obstacle that rules out all nodes at once. */
export function obstacleMessage(nodes: number, obstacle: string): string {
  return `${headline(nodes)} ${obstacle}.`;
}

function headline(nodes: number): string {
  return `0/${nodes} nodes are available:`;
}

/** Go's order of strings. */
function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
