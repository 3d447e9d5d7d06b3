/** Checks whether a node has capacity for one more pod, its requests and its ports. */
import type { NodeView } from '../cluster.ts';
import { portKey } from '../node-load.ts';
import type { HostPort, PodView } from '../pod-view.ts';
import { refuseNode, type Refusal } from '../refusal.ts';

const PORTS_TAKEN = "node(s) didn't have free ports for the requested pod ports";
const ANY_ADDRESS = '0.0.0.0';

/** Lists every insufficient resource, not only the first. */
export function checkCapacity(
  { requests }: PodView,
  { allocatable, load }: NodeView,
): Refusal | null {
  const reasons: string[] = [];
  let isResolvable = true;
  if (BigInt(load.pods.size + 1) > (allocatable.get('pods') ?? 0n)) reasons.push('Too many pods');
  for (const [name, amount] of requests) {
    const capacity = allocatable.get(name) ?? 0n;
    if (amount <= 0n || amount <= capacity - (load.requested.get(name) ?? 0n)) continue;
    reasons.push(`Insufficient ${name}`);
    if (amount > capacity) isResolvable = false;
  }
  return reasons.length === 0 ? null : { plugin: 'NodeResourcesFit', reasons, isResolvable };
}

/** On nodes whose pods share the machine's network, all declared ports are ports of the machine. */
export function checkPorts(pod: PodView, { load, sharesNetwork }: NodeView): Refusal | null {
  for (const port of portsOf(pod, sharesNetwork)) {
    for (const other of load.ports.get(portKey(port)) ?? []) {
      if (!takes(other, port, sharesNetwork)) continue;
      const whose = sharesNetwork ? ` (${describeClash(port, other)})` : '';
      return refuseNode('NodePorts', `${PORTS_TAKEN}${whose}`, true);
    }
  }
  return null;
}

/** Whether the pod would get a port if the other pod were removed. */
export function wantsPortOf(pod: PodView, other: PodView): boolean {
  return portsOf(pod, true).some((port) => takes(other, port, true));
}

function portsOf(
  { hostPorts, containerPorts }: PodView,
  sharesNetwork: boolean,
): readonly HostPort[] {
  return sharesNetwork ? [...hostPorts, ...containerPorts] : hostPorts;
}

function takes(other: PodView, port: HostPort, sharesNetwork: boolean): boolean {
  return portsOf(other, sharesNetwork).some((taken) => collides(port, taken));
}

/**
 * Unlike kube-scheduler's message, this one names port and pod: here the pod may not have asked for a host
 * port.
 */
function describeClash({ port, protocol }: HostPort, { name, namespace }: PodView): string {
  const other = `${namespace}/${name}`;
  return `port ${port}/${protocol} is taken by pod ${other}: pods share the network of the machine`;
}

/** A port on all addresses conflicts with the same port on any address. */
function collides(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return a.ip === b.ip || a.ip === ANY_ADDRESS || b.ip === ANY_ADDRESS;
}
