import { expect, test } from 'vitest';
import { DownsampledSeries } from './downsampled-series.ts';

const SHAPE = { width: 2, samplesMax: 4, periodMs: 60_000, periodsMax: 3 };

function filled(seconds: readonly number[], valueOf = (second: number) => second) {
  const series = new DownsampledSeries(SHAPE);
  for (const second of seconds) series.add(second * 1000, [valueOf(second), 7]);
  return series;
}

function every15s(until: number): readonly number[] {
  return Array.from({ length: until / 15 }, (_, index) => index * 15);
}

test('new samples stay as they were', () => {
  const points = filled([0, 15, 30]).points();
  expect(points.map(({ atMs }) => atMs)).toEqual([0, 15_000, 30_000]);
  expect(points.at(-1)).toEqual({ atMs: 30_000, mean: [30, 7], max: [30, 7] });
});

test('older samples become one point a period, with mean and maximum', () => {
  const points = filled(every15s(120)).points();
  expect(points).toHaveLength(5);
  expect(points[0]).toEqual({ atMs: 0, mean: [22.5, 7], max: [45, 7] });
  expect(points[1]?.atMs).toBe(60_000);
});

test('the oldest periods are forgotten, and no period is shown beside its own samples', () => {
  const points = filled(every15s(3600)).points();
  expect(points.map(({ atMs }) => atMs / 1000)).toEqual([3420, 3480, 3540, 3555, 3570, 3585]);
});

test('what was not measured is null, counts for no mean and never becomes zero', () => {
  const series = filled(every15s(120), (second) => (second === 15 ? Number.NaN : -1));
  expect(series.points()[0]).toEqual({ atMs: 0, mean: [-1, 7], max: [-1, 7] });
  const none = filled(every15s(120), () => Number.NaN);
  expect(none.points().map(({ mean }) => mean[0])).toEqual([null, null, null, null, null]);
});

test('a sample from before the newest one is dropped', () => {
  const series = filled([100, 50]);
  expect(series.points()).toHaveLength(1);
  expect(series.newestMs).toBe(100_000);
});
