/** Are the ports of the host that a pod wants still free? */
import type { Pod } from '../../api/pod.ts';
import { isSidecar } from '../pod-facts.ts';
import { admissionSpecOf } from './admission-view.ts';
import type { Others } from './crowd.ts';

interface TakenPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

const EVERY_ADDRESS = '0.0.0.0';

/** The same port may be taken twice only on two addresses that are both spelled out. */
export function hasFreePorts(pod: Pod, others: Others): boolean {
  const wanted = hostPortsOf(pod);
  if (wanted.length === 0) return true;
  const taken = others.pods().flatMap(hostPortsOf);
  return !wanted.some((one) => taken.some((other) => collide(one, other)));
}

/** Only of containers that run as long as the pod does. */
function hostPortsOf(pod: Pod): readonly TakenPort[] {
  const { containers, initContainers = [] } = admissionSpecOf(pod);
  return [...initContainers.filter(isSidecar), ...containers].flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort = 0, hostIP = '', protocol = '' }) =>
      hostPort > 0
        ? [{ ip: hostIP || EVERY_ADDRESS, protocol: protocol || 'TCP', port: hostPort }]
        : [],
    ),
  );
}

function collide(a: TakenPort, b: TakenPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return a.ip === b.ip || a.ip === EVERY_ADDRESS || b.ip === EVERY_ADDRESS;
}
