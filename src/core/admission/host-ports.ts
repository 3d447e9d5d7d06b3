/**
 * Finds a host port of a pod that another pod on this node already uses.
 *
 * If pods share the network of the machine (podkeep runs as an ordinary user), every port that a pod declares
 * is a host port.
 */
import type { Pod } from '../../api/pod.ts';
import { isSidecar } from '../pod/pod-facts.ts';
import { admissionSpecOf, type DeclaredPort } from './admission-view.ts';
import type { Others } from './other-pods.ts';

interface TakenPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

export interface PortClash {
  readonly port: number;
  readonly protocol: string;
  /** The pod that already uses the port. */
  readonly other: Pod;
}

const EVERY_ADDRESS = '0.0.0.0';

/** Null: all ports are free. Two pods may use the same port only on two different explicit addresses. */
export function findPortClash(pod: Pod, others: Others, sharesNetwork: boolean): PortClash | null {
  const wanted = hostPortsOf(pod, sharesNetwork);
  if (wanted.length === 0) return null;
  for (const other of others.pods()) {
    const taken = hostPortsOf(other, sharesNetwork);
    const clash = wanted.find((one) => taken.some((each) => collide(one, each)));
    if (clash) return { port: clash.port, protocol: clash.protocol, other };
  }
  return null;
}

/** The ports of regular containers and sidecars; init containers end before these start. */
function hostPortsOf(pod: Pod, sharesNetwork: boolean): readonly TakenPort[] {
  const { containers, initContainers = [] } = admissionSpecOf(pod);
  return [...initContainers.filter(isSidecar), ...containers].flatMap(({ ports = [] }) =>
    ports.flatMap((port) => takenBy(port, sharesNetwork)),
  );
}

function takenBy(declared: DeclaredPort, sharesNetwork: boolean): readonly TakenPort[] {
  const { hostPort = 0, containerPort = 0, hostIP = '', protocol: lastReported = '' } = declared;
  const protocol = lastReported || 'TCP';
  const ofHost = { ip: hostIP || EVERY_ADDRESS, protocol, port: hostPort };
  const ofPod = { ip: EVERY_ADDRESS, protocol, port: containerPort };
  return (sharesNetwork ? [ofHost, ofPod] : [ofHost]).filter(({ port }) => port > 0);
}

function collide(a: TakenPort, b: TakenPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return a.ip === b.ip || a.ip === EVERY_ADDRESS || b.ip === EVERY_ADDRESS;
}
