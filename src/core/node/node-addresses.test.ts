import { expect, test } from 'vitest';
import { addressList, hostIPsOf, nodeIPs } from './node-addresses.ts';

test('configured addresses come first, then a name that is one, then those of the machine', () => {
  const machine = ['192.0.2.2', '2001:db8::2'];
  expect(nodeIPs(['2001:DB8::7', '192.0.2.7'], 'n', machine)).toEqual(['2001:db8::7', '192.0.2.7']);
  expect(nodeIPs([], '192.0.2.8', machine)).toEqual(['192.0.2.8']);
  expect(nodeIPs([], 'n', machine)).toEqual(['192.0.2.2']);
});

test('a machine without a network has the loopback address', () => {
  expect(nodeIPs([], 'n', [])).toEqual(['127.0.0.1']);
});

test('the name of the host is the last address', () => {
  expect(addressList(['192.0.2.2'], 'n')).toEqual([
    { type: 'InternalIP', address: '192.0.2.2' },
    { type: 'Hostname', address: 'n' },
  ]);
});

test('pods get one address of each family, internal ones first', () => {
  const addresses = [
    { type: 'Hostname', address: 'n' },
    { type: 'ExternalIP', address: '2001:db8::1' },
    { type: 'InternalIP', address: '192.0.2.2' },
    { type: 'InternalIP', address: '192.0.2.3' },
    { type: 'InternalIP', address: 'nonsense' },
  ];
  expect(hostIPsOf(addresses)).toEqual(['192.0.2.2', '2001:db8::1']);
  expect(hostIPsOf(undefined)).toEqual([]);
});
