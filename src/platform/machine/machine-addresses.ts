/** Lists the addresses of a machine that other machines can use, in the order of preference. */
import type { NetworkInterfaceInfo } from 'node:os';

type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/** Link-local addresses are valid on one link only. */
const LINK_LOCAL = /^(169\.254\.|fe[89ab][0-9a-f]:)/i;

/** As in the kubelet, the interface with the default route comes first, and IPv4 before IPv6. */
export function machineAddresses(
  interfaces: Interfaces,
  defaultInterface: string | null,
): readonly string[] {
  const found = Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    addresses.filter(isUsable).map(({ address, family }) => ({
      address,
      rank: (name === defaultInterface ? 0 : 2) + (family === 'IPv4' ? 0 : 1),
    })),
  );
  return found.toSorted((a, b) => a.rank - b.rank).map(({ address }) => address);
}

function isUsable({ address, internal }: NetworkInterfaceInfo): boolean {
  return !internal && !LINK_LOCAL.test(address);
}
