import { describe, expect, test } from 'vitest';
import {
  changeWithin,
  newHistory,
  SYNC_MS,
  withRecommendation,
  withRescale,
} from './scaling-history.ts';
import { limitScale } from './scaling-limits.ts';

const START_MS = 1000 * SYNC_MS;
const HOUR_MS = 3_600_000;

describe('a client that changes the spec all the time', () => {
  test('causes two recommendations and one change per period, for two hours', () => {
    let history = newHistory(1, START_MS);
    for (let ms = 0; ms < 3 * HOUR_MS; ms += 2500) {
      const nowMs = START_MS + ms;
      history = withRecommendation(history, (ms / 2500) % 7, nowMs);
      history = withRescale(history, 1, 3, nowMs);
      history = withRescale(history, 3, 1, nowMs);
    }
    const periods = (2 * HOUR_MS) / SYNC_MS + 1;
    expect(history.recommendations.length).toBeLessThanOrEqual(2 * periods);
    expect(history.ups.length).toBeLessThanOrEqual(periods);
    expect(history.downs.length).toBeLessThanOrEqual(periods);
    expect(history.ups.length).toBeGreaterThan(periods - 5);
  });

  test('hides neither the highest nor the lowest recommendation of the period', () => {
    let history = newHistory(5, START_MS);
    for (const number of [9, 2, 6, 5]) history = withRecommendation(history, number, START_MS + 1);
    expect(history.recommendations.map(({ number }) => number)).toEqual([9, 2]);
    const bounds = { min: 1, max: 20, current: 9 };
    expect(limitScale(3, bounds, null, history, START_MS + SYNC_MS).replicas).toBe(9);
  });

  test('hides no change of the number of replicas', () => {
    let history = newHistory(1, START_MS);
    for (const ms of [0, 1000, SYNC_MS]) history = withRescale(history, 1, 3, START_MS + ms);
    expect(history.ups).toHaveLength(2);
    expect(changeWithin(history.ups, 60, START_MS + SYNC_MS)).toBe(6);
  });
});

test('one entry for each regular sync', () => {
  let history = newHistory(4, START_MS);
  for (const sync of [1, 2, 3]) {
    history = withRecommendation(history, 4, START_MS + sync * SYNC_MS);
  }
  expect(history.recommendations).toHaveLength(4);
});
