import { expect, test } from 'vitest';
import { KillRequests } from './kill-requests.ts';

test('callers that wait are notified once, in the given order', () => {
  const kills = new KillRequests();
  const request: string[] = [];
  const first = kills.add({ completed: () => request.push('first') });
  const silent = kills.add(undefined);
  const last = kills.add({ completed: () => request.push('last') });
  kills.complete([last, silent, first]);
  kills.complete([first]);
  expect(request).toEqual(['last', 'first']);
});

test('the status override is there until the kill is complete', () => {
  const kills = new KillRequests();
  const overrideStatus = () => ({ reason: 'Evicted' });
  const id = kills.add({ overrideStatus });
  expect(kills.overrideStatus(id)).toBe(overrideStatus);
  expect(kills.overrideStatus(kills.add({}))).toBeNull();
  expect(kills.overrideStatus(null)).toBeNull();
  kills.complete([id]);
  expect(kills.overrideStatus(id)).toBeNull();
});
