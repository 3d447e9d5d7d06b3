/** Pod Security checks of unmasked /proc (procMount) and of sysctls. */
import { objectsAt } from '../../objects/field-path.ts';
import { readText } from '../../../api/validation/json-reading.ts';
import {
  containersOf,
  containersWith,
  namedContainers,
  quoteAll,
  securityOf,
  sortedSet,
  type Check,
} from './check.ts';

export const procMount: Check = (pod) => {
  const names = containersWith(pod, (one) => isUnmasked(securityOf(one, 'procMount')));
  if (names.length === 0) return undefined;
  const types = containersOf(pod)
    .map((one) => securityOf(one, 'procMount'))
    .filter(isUnmasked)
    .map((type) => readText(type));
  const what = `must not set securityContext.procMount to ${quoteAll(sortedSet(types))}`;
  return { reason: 'procMount', detail: `${namedContainers(names)} ${what}` };
};

function isUnmasked(type: ReturnType<typeof securityOf>): boolean {
  return type !== undefined && type !== null && type !== 'Default';
}

const SAFE = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
];
const SAFE_1_27 = [...SAFE, 'net.ipv4.ip_local_reserved_ports'];
const SAFE_1_29 = [
  ...SAFE_1_27,
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
];
const SAFE_1_32 = [...SAFE_1_29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'];

/** By the minor version from which each applies. */
export const sysctls: readonly (readonly [minor: number, check: Check])[] = [
  [0, sysctlsBeyond(SAFE)],
  [27, sysctlsBeyond(SAFE_1_27)],
  [29, sysctlsBeyond(SAFE_1_29)],
  [32, sysctlsBeyond(SAFE_1_32)],
];

function sysctlsBeyond(safe: readonly string[]): Check {
  return ({ spec }) => {
    const names = objectsAt(spec, 'securityContext.sysctls').map(({ name }) => readText(name));
    const unsafe = names.filter((name) => !safe.includes(name));
    if (unsafe.length === 0) return undefined;
    return { reason: 'forbidden sysctls', detail: unsafe.join(', ') };
  };
}
