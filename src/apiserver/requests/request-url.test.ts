import { expect, test } from 'vitest';
import { readUrl } from './request-url.ts';

function partsOf(url: string) {
  const { host, pathname, searchParams } = readUrl(url);
  return [host, pathname, searchParams.toString()];
}

test('an address is split into host, path and query', () => {
  expect(partsOf('https://127.0.0.1:6443/api/v1/pods?watch=1&limit=2')).toEqual([
    '127.0.0.1:6443',
    '/api/v1/pods',
    'watch=1&limit=2',
  ]);
  expect(partsOf('http://podkeep')).toEqual(['podkeep', '/', '']);
  expect(partsOf('http://podkeep/?')).toEqual(['podkeep', '/', '']);
});

test('nothing in the path is resolved: two dots are an ordinary name', () => {
  expect(partsOf('http://podkeep/api/v1/pods/%2e%2e')[1]).toBe('/api/v1/pods/%2e%2e');
  expect(partsOf('http://podkeep/api//v1/../x')[1]).toBe('/api//v1/../x');
});

test('a slash or a colon in the query belongs to the query', () => {
  expect(partsOf('http://podkeep/api?x=http://a/b?c')).toEqual([
    'podkeep',
    '/api',
    'x=http%3A%2F%2Fa%2Fb%3Fc',
  ]);
});
