import { expect, test } from 'vitest';
import {
  clientTemplate,
  isSameTemplate,
  satisfies,
  servingTemplate,
} from './certificate-template.ts';

const ADDRESSES = [
  { type: 'InternalIP', address: '10.0.0.2' },
  { type: 'InternalIP', address: 'fd00::1' },
  { type: 'ExternalIP', address: '10.0.0.1' },
  { type: 'Hostname', address: 'n1' },
  { type: 'InternalDNS', address: 'n1.example' },
];

test('a client certificate names the node and its group, and nothing else', () => {
  expect(clientTemplate('n1')).toEqual({
    commonName: 'system:node:n1',
    organizations: ['system:nodes'],
    dnsNames: [],
    addresses: [],
  });
});

test('a serving certificate has every name and address of the node, in order', () => {
  expect(servingTemplate('n1', ADDRESSES)).toMatchObject({
    commonName: 'system:node:n1',
    dnsNames: ['n1', 'n1.example'],
    addresses: ['10.0.0.1', '10.0.0.2', 'fd00::1'],
  });
});

test('a host name that is an address counts as one, and is contained once', () => {
  const addresses = [
    { type: 'Hostname', address: '10.0.0.2' },
    { type: 'InternalIP', address: '10.0.0.2' },
  ];
  expect(servingTemplate('n1', addresses)).toMatchObject({
    dnsNames: [],
    addresses: ['10.0.0.2'],
  });
});

test.each([
  ['none', []],
  ['nothing', undefined],
  ['a name alone', [{ type: 'Hostname', address: 'n1' }]],
  ['an address that is none', [{ type: 'InternalIP', address: 'n1' }]],
  ['something else', ['10.0.0.1', null]],
])('without an address nothing is asked for: %s', (_name, addresses) => {
  expect(servingTemplate('n1', addresses)).toBeNull();
});

test('a certificate may contain more than it must, but not less', () => {
  const all = servingTemplate('n1', ADDRESSES);
  const fewer = servingTemplate('n1', ADDRESSES.slice(0, 1));
  if (!all || !fewer) throw new Error('there are addresses');
  expect(satisfies(all, fewer)).toBe(true);
  expect(satisfies(fewer, all)).toBe(false);
  expect(satisfies({ ...all, commonName: 'system:node:n2' }, fewer)).toBe(false);
  expect(satisfies({ ...all, organizations: [] }, fewer)).toBe(false);
});

test('templates are equal if they request the same', () => {
  const [all, fewer] = [
    servingTemplate('n1', ADDRESSES),
    servingTemplate('n1', ADDRESSES.slice(0, 1)),
  ];
  expect(isSameTemplate(all, servingTemplate('n1', ADDRESSES))).toBe(true);
  expect(isSameTemplate(all, fewer)).toBe(false);
  expect(isSameTemplate(fewer, null)).toBe(false);
  expect(isSameTemplate(null, null)).toBe(true);
});
