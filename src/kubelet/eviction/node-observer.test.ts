import { expect, test } from 'vitest';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { NodeObserver } from './node-observer.ts';

/** File systems with so many bytes free of so many, by path; images are in /images. */
function harness(disks: Record<string, readonly [number, number]>, containerMountpoint?: string) {
  const events: string[] = [];
  const observer = new NodeObserver({
    clock: new VirtualClock(),
    log: silentLog,
    events: { recordNode: (_type, reason, message) => events.push(`${reason}: ${message}`) },
    machine: {
      info: () => Promise.reject(new Error('not called')),
      usage: async () => ({ memory: null, pids: { capacity: 100, available: 5 } }),
      fileSystem: async (path) => {
        const [available, capacity] = disks[path] ?? [];
        if (available === undefined || capacity === undefined) throw new Error(`no ${path}`);
        return { bytes: { capacity, available }, inodes: { capacity: 0, available: 0 } };
      },
    },
    runtime: {
      images: {
        usage: async () => ({
          mountpoint: '/images',
          usedBytes: 0,
          usedInodes: 0,
          ...(containerMountpoint !== undefined && { containerMountpoint }),
        }),
      },
    },
    disk: { isElsewhere: async (path, than = '/pods') => disks[path] !== disks[than] },
    rootFolder: '/pods',
    podsMemory: async () => ({ capacity: 10, available: 3 }),
  });
  return { observer, events, disks };
}

const ROOT = [50, 100] as const;
const OTHER = [20, 100] as const;

test('an image disk without capacity is recorded once, and not observed', async () => {
  const { observer, events, disks } = harness({ '/pods': ROOT, '/images': [0, 0] });
  expect((await observer.observe()).has('imagefs.available')).toBe(false);
  await observer.observe();
  expect(events).toEqual(['InvalidDiskCapacity: invalid capacity 0 on image filesystem']);
  disks['/images'] = OTHER;
  expect((await observer.observe()).get('imagefs.available')).toMatchObject({ available: 20 });
});

test('what cannot be read is absent, and the rest is there', async () => {
  const { observer } = harness({});
  const observations = await observer.observe();
  expect([...observations.keys()]).toEqual(['allocatableMemory.available', 'pid.available']);
});

test.each([
  ['single', { '/pods': ROOT, '/images': ROOT }, undefined, 50],
  ['dedicated', { '/pods': ROOT, '/images': OTHER }, '/images', 20],
  ['split', { '/pods': ROOT, '/images': OTHER, '/layers': ROOT }, '/layers', 50],
] as const)(
  'layout %s decides which file system containerfs is',
  async (layout, disks, at, free) => {
    const { observer } = harness(disks, at);
    expect(await observer.layout()).toBe(layout);
    const observations = await observer.observe();
    expect(observations.get('containerfs.available')).toMatchObject({ available: free });
  },
);
