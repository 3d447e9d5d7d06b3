import { describe, expect, test } from 'vitest';
import { checkedFormat, checkOfFormat } from './text-formats.ts';

describe('formats', () => {
  test.each<readonly [string, readonly string[], readonly string[]]>([
    [
      'date-time',
      ['2024-02-29T00:00:00Z', '2024-01-01t00:00:00.5+01:00'],
      ['2024-02-30T00:00:00Z', '2024-01-01'],
    ],
    ['date', ['0001-01-01', '2024-12-31'], ['2024-13-01', '24-01-01']],
    ['duration', ['1h30m', '3 days', '0'], ['soon', '']],
    ['byte', ['aGk=', 'aGkh'], ['aGk', '%%%%', '']],
    ['ipv4', ['10.0.0.1', '010.0.0.1'], ['10.0.0', '::1']],
    ['ipv6', ['::1'], ['1.2.3.4']],
    ['cidr', ['10.0.0.0/8', 'fd00::/8'], ['10.0.0.0', '10.0.0.0/33']],
    ['uuid', ['00000000-0000-0000-0000-000000000000'], ['0-0']],
    ['mac', ['01:23:45:67:89:ab', '0123.4567.89ab'], ['01:23', '01:23:45-67:89:ab']],
    ['hostname', ['a', 'a-b.com'], ['-a', 'a.1']],
    ['email', ['a@b.c', 'A <a@b>'], ['a', '@b']],
    ['uri', ['https://a', '/a', 'urn:x'], ['a', '']],
    ['creditcard', ['4111 1111 1111 1111'], ['4111111111111112']],
    ['isbn', ['0321751043', '978-0321751041'], ['0321751044']],
    ['k8s-short-name', ['a-b'], ['A', 'a.b']],
    ['k8s-long-name', ['a.b'], ['A.b']],
  ])('%s', (format, good, bad) => {
    const check = checkOfFormat(format);
    expect(good.filter((text) => !check?.(text))).toEqual([]);
    expect(bad.filter((text) => check?.(text))).toEqual([]);
  });

  test('that are not checked accept every text, and so do those of another type', () => {
    expect(checkOfFormat('whatever')).toBeUndefined();
    expect(checkedFormat('string', 'int32')).toBe('');
    expect(checkedFormat('integer', 'int32')).toBe('int32');
    expect(checkedFormat('object', 'date')).toBe('');
  });
});
