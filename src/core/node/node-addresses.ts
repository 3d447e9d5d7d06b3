/** Under which addresses a node is known, and which of them its pods are told. */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { parseIp } from '../../lib/ip.ts';

/** A node that has no other address can only be reached from itself, and by this one. */
const LOOPBACK = '127.0.0.1';

/**
 * Those that people chose, at most two; else the node's name if that is an address; else the best of
 * the machine's own. Where the kubelet gives up, on a machine without a network, the loopback address
 * serves: whoever talks to such a node is on the same machine.
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

/** One address, and one of the other family if there is one; those inside the cluster first. */
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
