import { expect, test } from 'vitest';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { PressureMonitor } from './pressure-monitor.ts';

/** A machine whose file systems have so many bytes free of so many. */
function stage(disks: Record<string, readonly [number, number]>, evictionHard = {}) {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const events: string[] = [];
  const story: string[] = [];
  const monitor: PressureMonitor = new PressureMonitor({
    clock,
    log: silentLog,
    events: { recordNode: (_type, reason, message) => events.push(`${reason}: ${message}`) },
    machine: {
      info: () => Promise.reject(new Error('not asked')),
      usage: () =>
        Promise.resolve({
          memory: null,
          pids: { capacity: 100, available: disks['pids']?.[0] ?? 100 },
        }),
      fileSystem: (path) => {
        const [available, capacity] = disks[path] ?? [];
        if (available === undefined || capacity === undefined) {
          return Promise.reject(new Error(`no ${path}`));
        }
        const inodes = { capacity: 0, available: 0 };
        return Promise.resolve({ bytes: { capacity, available }, inodes });
      },
    },
    runtime: {
      images: {
        list: () => Promise.resolve([]),
        usage: () => Promise.resolve({ mountpoint: '/images', usedBytes: 0, usedInodes: 0 }),
        find: () => Promise.resolve(null),
        pull: () => Promise.reject(new Error('no')),
        remove: () => Promise.resolve(),
      },
    },
    rootFolder: '/pods',
    settings: { evictionHard, pressureTransitionMs: 0 },
    changed: () => story.push([...monitor.pressures()].join()),
    signal: stop.signal,
  });
  return { clock, monitor, disks, events, story, stop };
}

test('a disk of images without any room is told once, and presses on nothing', async () => {
  const { monitor, disks, events, story } = stage(
    { '/pods': [50, 100], '/images': [0, 0] },
    { 'imagefs.available': '15%' },
  );
  await monitor.look();
  await monitor.look();
  expect(events).toEqual(['InvalidDiskCapacity: invalid capacity 0 on image filesystem']);
  disks['/images'] = [1, 100];
  await monitor.look();
  disks['/images'] = [0, 0];
  await monitor.look();
  expect(events).toHaveLength(2);
  expect(story[0]).toBe('DiskPressure');
});

test('what cannot be read presses on nothing, and the rest is looked at', async () => {
  const { monitor, story } = stage(
    { pids: [5, 100] },
    {
      'nodefs.available': '10%',
      'imagefs.available': '15%',
      'pid.available': '10%',
    },
  );
  await monitor.look();
  expect(story).toEqual(['PIDPressure']);
});

test('it looks every ten seconds, and tells only of changes', async () => {
  const { clock, monitor, disks, story, stop } = stage(
    { '/pods': [5, 100], '/images': [50, 100] },
    { 'nodefs.available': '10%' },
  );
  void monitor.run();
  await clock.pass(25_000);
  expect(story).toEqual(['DiskPressure']);
  disks['/pods'] = [50, 100];
  await clock.pass(5000);
  expect(story).toEqual(['DiskPressure', '']);
  stop.abort();
  await clock.pass(0);
  expect(clock.pending).toBe(0);
});
