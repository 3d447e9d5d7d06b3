import type { NetworkInterfaceInfo } from 'node:os';
import { expect, test } from 'vitest';
import { machineAddresses } from './machine-addresses.ts';

function at(address: string, internal = false): NetworkInterfaceInfo {
  const rest = { address, netmask: '', mac: '', internal, cidr: null };
  return address.includes(':')
    ? { ...rest, family: 'IPv6', scopeid: 0 }
    : { ...rest, family: 'IPv4' };
}

const INTERFACES = {
  lo: [at('127.0.0.1', true), at('::1', true)],
  docker0: [at('172.17.0.1')],
  eth0: [at('fe80::1'), at('2001:db8::5'), at('10.0.0.5')],
  tap0: [at('169.254.7.7')],
};

test('the interface with the default route comes first, and IPv4 before IPv6', () => {
  expect(machineAddresses(INTERFACES, 'eth0')).toEqual(['10.0.0.5', '2001:db8::5', '172.17.0.1']);
});

test('without a default route any address that others can use will do', () => {
  expect(machineAddresses(INTERFACES, null)).toEqual(['172.17.0.1', '10.0.0.5', '2001:db8::5']);
  expect(machineAddresses({ lo: INTERFACES.lo }, null)).toEqual([]);
});
