import * as fc from 'fast-check';
import { isIP, SocketAddress } from 'node:net';
import { describe, expect, test } from 'vitest';
import { parseIp } from './ip.ts';

describe('addresses of four numbers', () => {
  test.each([
    ['10.0.0.1', '10.0.0.1'],
    ['0.0.0.0', '0.0.0.0'],
    ['255.255.255.255', '255.255.255.255'],
    ['10.0.0.07', '10.0.0.7'],
    ['010.001.000.099', '10.1.0.99'],
  ])('%s is %s', (text, expected) => {
    expect(parseIp(text)).toEqual({ family: 4, text: expected });
  });

  test.each([
    ['', 'nothing'],
    ['10.0.0', 'three numbers'],
    ['10.0.0.1.2', 'five numbers'],
    ['10.0.0.256', 'a number beyond a byte'],
    ['10..0.1', 'an empty number'],
    ['10.0.0.1 ', 'a blank'],
    ['10.0.0.x', 'a letter'],
    ['10.0.0.-1', 'a sign'],
    ['0x10.0.0.1', 'another base'],
    ['10.0.0.1/24', 'a prefix'],
    ['localhost', 'a name'],
  ])('%j is none: it has %s', (text) => {
    expect(parseIp(text)).toBeUndefined();
  });
});

describe('addresses of eight groups come back in the shortest form', () => {
  test.each([
    ['::', '::'],
    ['::1', '::1'],
    ['1::', '1::'],
    ['FD00:0:0::1', 'fd00::1'],
    ['fd00:0000:0000:0000:0000:0000:0000:0001', 'fd00::1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['1:0:0:2:0:0:0:0', '1:0:0:2::'],
    ['0:0:1:2:3:4:5:6', '::1:2:3:4:5:6'],
    ['::2:3:4:5:6:7:8', '0:2:3:4:5:6:7:8'],
    ['1:0:0:0:0:ffff:a00:7', '1::ffff:a00:7'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
    ['::1.2.3.4', '::102:304'],
  ])('%s is %s', (text, expected) => {
    expect(parseIp(text)).toEqual({ family: 6, text: expected });
  });

  test('an IPv4-mapped IPv6 address is an IPv4 address', () => {
    expect(parseIp('::ffff:10.0.0.7')).toEqual({ family: 4, text: '10.0.0.7' });
    expect(parseIp('0:0:0:0:0:FFFF:a00:7')).toEqual({ family: 4, text: '10.0.0.7' });
    expect(parseIp('::fffe:10.0.0.7')).toEqual({ family: 6, text: '::fffe:a00:7' });
  });

  test.each([
    [':', 'a lone colon'],
    [':::', 'three colons'],
    ['1::2::3', 'two gaps'],
    ['1:2:3:4:5:6:7', 'seven groups'],
    ['1:2:3:4:5:6:7:8:9', 'nine groups'],
    ['1:2:3:4::5:6:7:8', 'a gap for no group'],
    [':1:2:3:4:5:6:7', 'nothing before the first colon'],
    ['1:2:3:4:5:6:7:', 'nothing after the last colon'],
    ['1:2:3:4:5:6:7:8::x', 'nonsense after eight groups'],
    ['12345::', 'a group of five digits'],
    ['g::', 'a letter beyond f'],
    ['1.2.3.4::', 'four numbers in front'],
    ['::1.2.3.4:5', 'four numbers in the middle'],
    ['::1.2.3', 'three numbers at the end'],
    ['fe80::1%eth0', 'a zone'],
    ['[::1]', 'brackets'],
  ])('%j is none: it has %s', (text) => {
    expect(parseIp(text)).toBeUndefined();
  });
});

describe('whatever the address', () => {
  const addresses = fc.oneof(fc.ipV4(), fc.ipV4Extended(), fc.ipV6());

  test('its form is an address of that family, and its own form', () => {
    fc.assert(
      fc.property(addresses, (text) => {
        const address = parseIp(text);
        fc.pre(address !== undefined);
        expect(isIP(address.text)).toBe(address.family);
        expect(parseIp(address.text)).toEqual(address);
      }),
    );
  });

  test('two spellings of eight groups have one form, that of the system', () => {
    const groups = fc.array(fc.oneof(fc.constant(0), fc.nat(0xffff)), {
      minLength: 8,
      maxLength: 8,
    });
    fc.assert(
      fc.property(groups, (numbers) => {
        // IPv4-mapped addresses have a form of their own, see above.
        fc.pre(numbers.slice(0, 5).some((number) => number !== 0));
        const short = numbers.map((number) => number.toString(16)).join(':');
        const long = numbers.map((number) => number.toString(16).padStart(4, '0')).join(':');
        const { address } = new SocketAddress({ address: long, family: 'ipv6' });
        expect(parseIp(short)).toEqual(parseIp(long.toUpperCase()));
        expect(parseIp(long)).toEqual({ family: 6, text: address });
      }),
    );
  });

  test('any text is parsed or refused, and nothing invalid counts as an address', () => {
    const nearly = fc.string({ unit: fc.constantFrom('0', '1', 'f', ':', '.', 'x', '256') });
    fc.assert(
      fc.property(nearly, (text) => {
        const { text: form, family } = parseIp(text) ?? { text, family: 0 };
        expect(isIP(form)).toBe(family);
      }),
      { numRuns: 500 },
    );
  });
});
