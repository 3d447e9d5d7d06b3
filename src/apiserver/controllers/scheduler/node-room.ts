/** Is there room on a node: for one more pod, for what it asks for, for its ports? */
import type { NodeView } from './cluster.ts';
import type { HostPort, PodView } from './pod-view.ts';
import { refuse, type Refusal } from './refusal.ts';

const PORTS_TAKEN = "node(s) didn't have free ports for the requested pod ports";
const ANY_ADDRESS = '0.0.0.0';

/** Everything that is short, and not only the first. */
export function checkRoom({ requests }: PodView, { allocatable, load }: NodeView): Refusal | null {
  const reasons: string[] = [];
  let isTooSmall = false;
  if (BigInt(load.pods.size + 1) > (allocatable.get('pods') ?? 0n)) reasons.push('Too many pods');
  for (const [name, amount] of requests) {
    const capacity = allocatable.get(name) ?? 0n;
    if (amount <= 0n || amount <= capacity - (load.requested.get(name) ?? 0n)) continue;
    reasons.push(`Insufficient ${name}`);
    if (amount > capacity) isTooSmall = true;
  }
  if (reasons.length === 0) return null;
  return isTooSmall
    ? { reasons, lasts: 'for good', hope: 'nodes' }
    : { reasons, lasts: 'while others are there', hope: 'pods' };
}

export function checkPorts({ hostPorts }: PodView, { load }: NodeView): Refusal | null {
  if (hostPorts.length === 0) return null;
  const taken = [...load.pods.values()].flatMap((pod) => pod.hostPorts);
  const isFree = hostPorts.every((port) => !taken.some((other) => collides(port, other)));
  return isFree ? null : refuse(PORTS_TAKEN, 'while others are there');
}

/** One on all addresses collides with one on any. */
function collides(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return a.ip === b.ip || a.ip === ANY_ADDRESS || b.ip === ANY_ADDRESS;
}
