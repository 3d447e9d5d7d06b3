import { expect, test } from 'vitest';
import { livePod } from '../../../../test/kubelet/runs/live-pod.ts';
import { ReasonCache } from './reason-cache.ts';

const FAILURE = { reason: 'ErrImagePull', message: 'no route' };

test('a failure is stored until the container is started (KL-43)', () => {
  const cache = new ReasonCache();
  const pod = livePod('web');
  cache.failed('uid-of-web', 'main', FAILURE);
  expect(cache.of(pod)).toEqual(new Map([['main', FAILURE]]));
  cache.started('uid-of-web', 'main');
  expect(cache.of(pod).size).toBe(0);
});

test('a thousand entries are kept, and the least recently used one is dropped first', () => {
  const cache = new ReasonCache();
  cache.failed('uid-of-web', 'main', FAILURE);
  cache.failed('uid-of-old', 'main', FAILURE);
  for (let index = 0; index < 998; index++) cache.failed(`uid-${index}`, 'main', FAILURE);
  expect(cache.of(livePod('web')).size).toBe(1);
  cache.failed('uid-of-new', 'main', FAILURE);
  expect(cache.of(livePod('web')).size).toBe(1);
  expect(cache.of(livePod('old')).size).toBe(0);
});
