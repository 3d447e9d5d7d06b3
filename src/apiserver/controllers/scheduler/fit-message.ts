/** Why no node fits, as kube-scheduler writes it: `0/3 nodes are available: 1 Insufficient cpu, …`. */
import type { Refusal } from './refusal.ts';

export const NO_NODES = 'no nodes available to schedule pods';
/** What kube-scheduler's plugin for devices reports after a failure, when a pod has no claims for them. */
export const NO_CLAIMS = 'no new claims to deallocate';

/** `absent`: the reason for the nodes without a refusal. */
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

/** What rules out all nodes at once. */
export function obstacleMessage(nodes: number, obstacle: string): string {
  return `${headline(nodes)} ${obstacle}.`;
}

function headline(nodes: number): string {
  return `0/${nodes} nodes are available:`;
}

/** As Go sorts strings. */
function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
