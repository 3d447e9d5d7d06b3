import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressOf, ListenerHeaders } from './listener-headers.ts';

test('names are found in any case, and repeated ones are joined', () => {
  const headers = new ListenerHeaders({ accept: 'a', warning: ['1', '2'], gone: undefined });
  expect(['Accept', 'WARNING', 'gone', 'none'].map((name) => headers.get(name))).toEqual([
    'a',
    '1, 2',
    null,
    null,
  ]);
  expect([...headers]).toEqual([
    ['accept', 'a'],
    ['warning', '1, 2'],
  ]);
});

test('the method and path of HTTP/2 are no headers', () => {
  expect([...new ListenerHeaders({ ':path': '/', ':method': 'GET', a: 'b' })]).toEqual([
    ['a', 'b'],
  ]);
});

test('members of objects are no headers', () => {
  const headers = new ListenerHeaders({});
  expect(['constructor', '__proto__', 'toString'].map((name) => headers.get(name))).toEqual([
    null,
    null,
    null,
  ]);
});

test('the path of an address is the target, whatever the host says', () => {
  const host = fc.string({ maxLength: 20 });
  const target = fc.string({ maxLength: 20 }).map((text) => `/${text}`);
  fc.assert(
    fc.property(host, target, (given, wanted) => {
      const address = addressOf(given, wanted);
      if (address === null) return;
      const path = address.slice(address.indexOf('/', 'https://'.length));
      expect(path).toBe(wanted);
    }),
  );
});

test.each([
  ['a', '*', null],
  ['a', '', null],
  [undefined, '/x', null],
  ['a b', '/x', null],
  ['user@a', '/x', null],
  ['a:6443', '/x?y', 'https://a:6443/x?y'],
  ['[::1]:6443', '/', 'https://[::1]:6443/'],
  ['a', 'https://b/x', 'https://b/x'],
])('host %s and target %s make %s', (host, target, address) => {
  expect(addressOf(host, target)).toBe(address);
});
