import { expect, test } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { SyncLoopMonitor } from './sync-loop-monitor.ts';

test('a sync loop that turns stays healthy, and one that does not is unhealthy after five minutes (KL-55)', async () => {
  const clock = new VirtualClock();
  const monitor = new SyncLoopMonitor(clock);
  expect(monitor.unhealthy()).toBeNull();
  monitor.start();
  await clock.pass(3_600_000);
  expect(monitor.unhealthy()).toBeNull();
  monitor.stop();
  await clock.pass(300_000);
  expect(monitor.unhealthy()).toBeNull();
  await clock.pass(1);
  expect(monitor.unhealthy()).toBe('sync Loop took longer than expected');
});
