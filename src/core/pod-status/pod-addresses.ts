/**
 * Computes the addresses in a pod's status (KL-29).
 *
 * A pod has at most one address per IP family; the address of the node's primary family comes first. A pod in
 * the host's network has the node's addresses. Once set they do not change, except that an address of a
 * second family may be added later.
 */
import type { Pod, PodStatus } from '../../api/pod.ts';
import { parseIp } from '../../lib/ip.ts';

const ADDRESSES_MAX = 2;

type Addresses = Pick<PodStatus, 'hostIP' | 'hostIPs' | 'podIP' | 'podIPs'>;

/** `runtimeIPs` are the addresses that the runtime reports, in any order; `hostIPs` are the node's. */
export function podAddresses(
  pod: Pod,
  runtimeIPs: readonly string[],
  hostIPs: readonly string[],
): Addresses {
  const hosts = hostIPs.slice(0, ADDRESSES_MAX).map((ip) => parseIp(ip)?.text ?? ip);
  const own = pickByFamily(runtimeIPs, familyOf(hosts[0]));
  const ips = pod.spec.hostNetwork ? shareHostAddresses(own, hosts) : own;
  return {
    ...(hosts[0] ? { hostIP: hosts[0], hostIPs: hosts.map((ip) => ({ ip })) } : undefined),
    ...(ips[0] ? { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) } : undefined),
  };
}

function pickByFamily(ips: readonly string[], primary: 4 | 6): readonly string[] {
  const parsed = ips.flatMap((ip) => parseIp(ip) ?? []);
  const first = parsed.find(({ family }) => family === primary);
  const second = parsed.find(({ family }) => family !== primary);
  return [first, second].flatMap((address) => address?.text ?? []);
}

function shareHostAddresses(own: readonly string[], hosts: readonly string[]): readonly string[] {
  const ips = own.length > 0 ? own : hosts.slice(0, 1);
  const [, second] = hosts;
  const joins = second && ips.length === 1 && familyOf(ips[0]) !== familyOf(second);
  return joins ? [...ips, second] : ips;
}

function familyOf(ip: string | undefined): 4 | 6 {
  return (ip && parseIp(ip)?.family) || 4;
}
