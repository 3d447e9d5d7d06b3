import { expect, test } from 'vitest';
import { kubeletAddressOf } from './node-address.ts';

const address = (type: string, text: string) => ({ type, address: text });

test('addresses come before the host name, and those inside the cluster before those outside', () => {
  const all = [
    address('Hostname', 'node-1'),
    address('ExternalIP', '203.0.113.1'),
    address('InternalIP', '10.0.0.1'),
  ];
  const hosts = [all, all.slice(0, 2), all.slice(0, 1)].map(
    (addresses) => kubeletAddressOf({ status: { addresses } })?.host,
  );
  expect(hosts).toEqual(['10.0.0.1', '203.0.113.1', 'node-1']);
});

test('the port is the one that the kubelet reports, or 10250', () => {
  const addresses = [address('InternalIP', '10.0.0.1')];
  const daemonEndpoints = { kubeletEndpoint: { Port: 4194 } };
  expect(kubeletAddressOf({ status: { addresses, daemonEndpoints } })?.port).toBe(4194);
  expect(kubeletAddressOf({ status: { addresses } })?.port).toBe(10_250);
  const none = { kubeletEndpoint: { Port: 0 } };
  expect(kubeletAddressOf({ status: { addresses, daemonEndpoints: none } })?.port).toBe(10_250);
});

test('a node without addresses, or without known types of them, has no address', () => {
  for (const node of [{}, { status: null }, { status: { addresses: [address('Moon', 'x'), 1] } }]) {
    expect(kubeletAddressOf(node)).toBeNull();
  }
});
