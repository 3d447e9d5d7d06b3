import { expect, test } from 'vitest';
import { parseResolvConf } from './resolv-conf.ts';

test('servers are added up, and of searches and options the last counts', () => {
  const text = [
    '# a comment',
    '; another',
    '',
    'domain ignored.example',
    'nameserver 10.0.0.1',
    '  nameserver\tfd00::1  ',
    'nameserver',
    'search old.example',
    'search a.example. b.example .',
    'options ndots:1 rotate',
    'options ndots:5',
  ].join('\n');
  expect(parseResolvConf(text)).toEqual({
    servers: ['10.0.0.1', 'fd00::1'],
    searches: ['a.example', 'b.example'],
    options: ['ndots:5', 'rotate'],
  });
});

test('an empty file has no servers', () => {
  expect(parseResolvConf('')).toEqual({ servers: [], searches: [], options: [] });
});
