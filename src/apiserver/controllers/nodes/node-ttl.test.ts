import { expect, test } from 'vitest';
import { TTL_ANNOTATION, ttlSeconds, ttlStep, withTtl } from './node-ttl.ts';

test.each([
  [0, 0, 0],
  [0, 1, 0],
  [0, 100, 0],
  [0, 101, 15],
  [1, 90, 15],
  [1, 89, 0],
  [1, 500, 15],
  [1, 501, 30],
  [2, 450, 30],
  [2, 449, 15],
  [2, 1001, 60],
  [3, 900, 60],
  [3, 899, 30],
  [3, 2001, 300],
  [4, 1800, 300],
  [4, 1799, 60],
  [0, 100_000, 300],
  [4, 0, 0],
])('from step %d, %d nodes cache for %d seconds', (step, nodes, seconds) => {
  expect(ttlSeconds(ttlStep(step, nodes))).toBe(seconds);
});

test('a node that has the annotation is left alone', () => {
  const node = { metadata: { name: 'n', annotations: { a: 'b', [TTL_ANNOTATION]: '15' } } };
  expect(withTtl(node, 15)).toBe(node);
  expect(withTtl(node, 0)['metadata']).toEqual({
    name: 'n',
    annotations: { a: 'b', [TTL_ANNOTATION]: '0' },
  });
  const odd = { metadata: { name: 'n', annotations: { [TTL_ANNOTATION]: 'soon' } } };
  expect(withTtl(odd, 0)['metadata']).toEqual({
    name: 'n',
    annotations: { [TTL_ANNOTATION]: '0' },
  });
});
