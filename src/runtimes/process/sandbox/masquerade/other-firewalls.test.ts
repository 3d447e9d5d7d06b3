import { expect, test } from 'vitest';
import { foreignDrops } from './other-firewalls.ts';

test('a firewall that drops forwarded packets is found by its policy', () => {
  const chain = { family: 'ip', table: 'filter', name: 'FORWARD', hook: 'forward', policy: 'drop' };
  const nftables = [
    { metainfo: { version: '1.0' } },
    { chain },
    { chain: { ...chain, policy: 'accept', table: 'other' } },
    { chain: { ...chain, hook: 'input', name: 'INPUT' } },
    { chain: { family: 'ip', table: 'filter', name: 'DOCKER' } },
    { chain: { ...chain, family: 'bridge' } },
  ];
  expect(foreignDrops(JSON.stringify({ nftables }))).toEqual(['ip filter FORWARD']);
  expect(foreignDrops('{"nftables":[]}')).toEqual([]);
});
