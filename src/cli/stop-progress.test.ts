import { expect, test } from 'vitest';
import { VirtualClock } from '../../test/support/virtual-clock.ts';
import { StopProgress } from './stop-progress.ts';

test('pods that still stop are reported after 2 s, every 5 s, and no more when all have stopped', async () => {
  const clock = new VirtualClock();
  const reports: (readonly string[])[] = [];
  const progress = new StopProgress(clock, (pods) => reports.push(pods));
  progress.update(['default/a', 'default/b']);
  await clock.pass(1999);
  expect(reports).toEqual([]);
  await clock.pass(1);
  progress.update(['default/b']);
  await clock.pass(5000);
  expect(reports).toEqual([['default/a', 'default/b'], ['default/b']]);
  expect(progress.pods).toEqual(['default/b']);
  progress.update([]);
  await clock.pass(5000);
  progress.end();
  await clock.pass(60_000);
  expect(reports).toHaveLength(2);
});
