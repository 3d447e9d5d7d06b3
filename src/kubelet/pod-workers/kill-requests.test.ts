import { expect, test } from 'vitest';
import { KillRequests } from './kill-requests.ts';

test('those who wait are told once, in the order that is asked for', () => {
  const kills = new KillRequests();
  const told: string[] = [];
  const first = kills.add({ completed: () => told.push('first') });
  const silent = kills.add(undefined);
  const last = kills.add({ completed: () => told.push('last') });
  kills.complete([last, silent, first]);
  kills.complete([first]);
  expect(told).toEqual(['last', 'first']);
});

test('the words for a status are there until the kill is complete', () => {
  const kills = new KillRequests();
  const overrideStatus = () => ({ reason: 'Evicted' });
  const id = kills.add({ overrideStatus });
  expect(kills.overrideStatus(id)).toBe(overrideStatus);
  expect(kills.overrideStatus(kills.add({}))).toBeNull();
  expect(kills.overrideStatus(null)).toBeNull();
  kills.complete([id]);
  expect(kills.overrideStatus(id)).toBeNull();
});
