import { expect, test } from 'vitest';
import { refuseMasquerade } from './requirements.ts';

const ROOT = { uid: 0, obstacle: '', tools: { nft: '/usr/sbin/nft' } };

test.each([
  ['an ordinary user', { ...ROOT, uid: 1000 }, false, /not root/, /as root/],
  ['a machine without namespaces', ROOT, false, /no network of their own/, /auto/],
  [
    'a machine without nft',
    { ...ROOT, tools: {} },
    true,
    /nft is not installed/,
    /package nftables/,
  ],
])('%s is refused, with what is missing', (_, machine, hasNamespaces, message, hint) => {
  const refuse = (): void => refuseMasquerade(machine, hasNamespaces);
  expect(refuse).toThrow(message);
  expect(refuse).toThrow(
    expect.objectContaining({ code: 'MASQUERADE_UNAVAILABLE', hint: expect.stringMatching(hint) }),
  );
});

test('root with nft may masquerade', () => {
  expect(() => refuseMasquerade(ROOT, true)).not.toThrow();
});
