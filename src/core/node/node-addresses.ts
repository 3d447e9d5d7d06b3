/** Chooses the addresses of a node, and the host IPs of its pods. */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { parseIp } from '../../lib/ip.ts';

/** The address of a node without a network: only clients on the same machine can reach it. */
const LOOPBACK = '127.0.0.1';

/**
 * The configured addresses, at most two; else the node's name if it is an address; else the machine's best
 * address. On a machine without a network the node gets the loopback address, where the kubelet fails: all of
 * its clients are on the same machine.
 */
export function nodeIPs(
  chosen: readonly string[],
  hostname: string,
  ofMachine: readonly string[],
): readonly string[] {
  const texts = chosen.length > 0 ? chosen.slice(0, 2) : [hostname];
  const valid = texts.flatMap((text) => parseIp(text)?.text ?? []);
  return valid.length > 0 ? valid : [ofMachine[0] ?? LOOPBACK];
}

export function addressList(ips: readonly string[], hostname: string): readonly JsonObject[] {
  const internal = ips.map((address) => ({ type: 'InternalIP', address }));
  return [...internal, { type: 'Hostname', address: hostname }];
}

/** One address, and one of the other IP family if there is one; internal addresses come first. */
export function hostIPsOf(addresses: Json | undefined): readonly string[] {
  const all = [...ipsOf(addresses, 'InternalIP'), ...ipsOf(addresses, 'ExternalIP')];
  const [first] = all;
  if (!first) return [];
  const other = all.find(({ family }) => family !== first.family);
  return other ? [first.text, other.text] : [first.text];
}

function ipsOf(
  addresses: Json | undefined,
  type: string,
): readonly { family: 4 | 6; text: string }[] {
  if (!Array.isArray(addresses)) return [];
  const list: readonly Json[] = addresses;
  return list.flatMap((one) => {
    if (!isJsonObject(one) || one['type'] !== type || typeof one['address'] !== 'string') return [];
    return parseIp(one['address']) ?? [];
  });
}
