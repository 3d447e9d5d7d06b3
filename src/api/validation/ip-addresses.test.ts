import { describe, expect, test } from 'vitest';
import { validateIp, validateOnePerFamily, warnAboutIp } from './ip-addresses.ts';

function problems(value: string, before?: readonly string[]): readonly string[] {
  return [...validateIp(value, 'ip', before)].map(({ detail }) => detail);
}

describe('an address', () => {
  test.each(['10.0.0.1', '::1', 'fd00::1', 'fd00:0:0::1', 'FD00::1'])('%s is valid', (address) => {
    expect(problems(address)).toEqual([]);
  });

  test.each([
    ['', 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
    ['10.0.0', 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
    ['010.0.0.1', 'must not have leading 0s'],
    ['10.0.0.01', 'must not have leading 0s'],
    ['::ffff:1.2.3.4', 'must not be an IPv4-mapped IPv6 address'],
  ])('%j is refused: %s', (address, detail) => {
    expect(problems(address)).toEqual([detail]);
  });

  test('that was there before may stay', () => {
    expect(problems('010.0.0.1', ['010.0.0.1'])).toEqual([]);
  });

  test('in a non-canonical form gets a warning', () => {
    expect([...warnAboutIp('fd00:0::1', 'ip')]).toEqual([
      'ip: IPv6 address "fd00:0::1" should be in RFC 5952 canonical format ("fd00::1")',
    ]);
    expect([...warnAboutIp('10.0.0.01', 'ip')]).toEqual([
      'ip: non-standard IP address "10.0.0.01" is invalid: use "10.0.0.1"',
    ]);
    expect([...warnAboutIp('10.0.0.1', 'ip')]).toEqual([]);
  });
});

test('a pod has at most one address of each family', () => {
  const types = (...addresses: readonly string[]) =>
    [...validateOnePerFamily(addresses, 'ips', [])].map(({ type }) => type);
  expect(types('10.0.0.1')).toEqual([]);
  expect(types('10.0.0.1', '::1')).toEqual([]);
  expect(types('10.0.0.1', '10.0.0.2')).toEqual(['Invalid']);
  expect(types('10.0.0.1', '::1', '::2')).toEqual(['Invalid']);
  expect(types('bad', '::1')).toEqual(['Internal', 'Invalid']);
});
