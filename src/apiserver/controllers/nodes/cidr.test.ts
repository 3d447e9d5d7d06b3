import { expect, test } from 'vitest';
import { formatCidr, parseCidr, sizeOfCidr } from './cidr.ts';

test.each([
  ['10.244.0.0/16', '10.244.0.0/16', 65_536n],
  ['10.244.3.7/24', '10.244.3.0/24', 256n],
  ['0.0.0.0/0', '0.0.0.0/0', 2n ** 32n],
  ['10.0.0.1/32', '10.0.0.1/32', 1n],
  ['fd00:10:244::/56', 'fd00:10:244::/56', 2n ** 72n],
  ['fd00::1/64', 'fd00::/64', 2n ** 64n],
])('%s is %s, with %s addresses', (text, canonical, size) => {
  const range = parseCidr(text);
  expect(range && [formatCidr(range), sizeOfCidr(range)]).toEqual([canonical, size]);
});

test.each(['', '10.0.0.0', '10.0.0.0/33', '10.0.0.0/x', '10.0.0.0/8/8', 'fd00::/129', '/8'])(
  '%j is no range',
  (text) => {
    expect(parseCidr(text)).toBeUndefined();
  },
);
