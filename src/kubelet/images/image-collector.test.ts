import { expect, test } from 'vitest';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { Image } from '../../ports/runtime/image-store.ts';
import type { RuntimePodEntry } from '../../ports/runtime/pod-runtime.ts';
import { ImageCollector } from './image-collector.ts';

const POLICY = {
  highThresholdPercent: 85,
  lowThresholdPercent: 80,
  ageMinMs: 120_000,
  ageMaxMs: 0,
};
const MINUTES = 60_000;

function imageOf(name: string, sizeBytes = 100): Image {
  return {
    ref: `sha256:${name}`,
    names: [`docker.io/library/${name}:1`],
    sizeBytes,
    isPinned: false,
  };
}

function podWith(image: Image): RuntimePodEntry {
  const container = {
    id: 'x://1',
    name: 'c',
    state: 'exited' as const,
    restartCount: 0,
    image: '',
    imageRef: image.ref,
    createdAt: '2026-01-02T03:04:05Z',
  };
  return {
    uid: 'u',
    name: 'p',
    namespace: 'n',
    pod: { sandboxes: [], containers: [container], ips: [] },
  };
}

function harness(here: readonly Image[], policy = POLICY) {
  const clock = new VirtualClock();
  let images = [...here];
  let pods: readonly RuntimePodEntry[] = [];
  const mounted: string[] = [];
  let availableBytes = 1000;
  const removed: string[] = [];
  const notified: string[] = [];
  const fails = new Set<string>();
  const collector = new ImageCollector({
    clock,
    log: silentLog,
    policy,
    volumeImages: () => mounted,
    runtime: {
      list: () => Promise.resolve(pods),
      images: {
        find: () => Promise.resolve(null),
        pull: () => Promise.resolve(''),
        list: () => Promise.resolve(images),
        usage: () => Promise.resolve({ mountpoint: '/images', usedBytes: 0, usedInodes: 0 }),
        remove: (ref) => {
          if (fails.has(ref)) return Promise.reject(new Error('image is in use'));
          removed.push(ref);
          availableBytes += images.find((each) => each.ref === ref)?.sizeBytes ?? 0;
          images = images.filter((each) => each.ref !== ref);
          return Promise.resolve();
        },
      },
    },
    measure: () => Promise.resolve({ capacityBytes: 1000, availableBytes }),
    events: {
      recordNode: (type, reason, message) => notified.push(`${type} ${reason} ${message}`),
    },
  });
  return {
    clock,
    collector,
    removed,
    notified,
    fails,
    mount: (name: string) => mounted.push(name),
    use: (image: Image) => (pods = [podWith(image)]),
    fill: (bytes: number) => (availableBytes = bytes),
  };
}

test('while there is space no image is removed', async () => {
  const { collector, clock, removed } = harness([imageOf('a')]);
  collector.start();
  await clock.pass(60 * MINUTES);
  expect(removed).toEqual([]);
});

test('on a full disk unused images are removed, until it is below the low threshold', async () => {
  const [a, b, c] = [imageOf('a'), imageOf('b'), imageOf('c')];
  const { collector, clock, removed, use, fill } = harness([a, b, c]);
  use(a);
  collector.start();
  await clock.pass(5 * MINUTES);
  fill(120);
  await clock.pass(5 * MINUTES);
  expect(removed).toEqual([b.ref]);
  collector.stop();
});

test('the image of sandboxes stays, and one that was just pulled', async () => {
  const { collector, notified, fill, removed } = harness([imageOf('pause'), imageOf('fresh')]);
  fill(0);
  await expect(collector.collect()).rejects.toThrow('(100% of 1000 B used)');
  expect(removed).toEqual([]);
  expect(notified).toEqual([
    expect.stringContaining('Warning FreeDiskSpaceFailed Insufficient free'),
  ]);
});

test('a failed removal is recorded as an Event from the second time on', async () => {
  const a = imageOf('a');
  const { collector, clock, notified, fails, fill } = harness([a]);
  fails.add(a.ref);
  fill(100);
  collector.start();
  await clock.pass(5 * MINUTES);
  expect(notified.filter((each) => each.includes('ImageGCFailed'))).toEqual([]);
  await clock.pass(5 * MINUTES);
  expect(notified.at(-1)).toBe(
    'Warning ImageGCFailed wanted to free 100 bytes, but freed 0 bytes space with errors in ' +
      'image deletion: image is in use',
  );
  collector.stop();
});

test('an image that was unused for long is removed, however much space there is', async () => {
  const [a, b] = [imageOf('a'), imageOf('b')];
  const { collector, clock, removed, use } = harness([a, b], { ...POLICY, ageMaxMs: 10 * MINUTES });
  use(a);
  collector.start();
  await clock.pass(10 * MINUTES);
  expect(removed).toEqual([]);
  await clock.pass(5 * MINUTES);
  expect(removed).toEqual([b.ref]);
  collector.stop();
});

test('a node whose disk is never full and whose images are never old does not collect', () => {
  const { collector, clock } = harness([], { ...POLICY, highThresholdPercent: 100 });
  collector.start();
  expect(clock.pending).toBe(0);
});

test('an image that a pod mounts as a volume is used, by whatever form of its name', async () => {
  const mountedOne: Image = { ...imageOf('a'), names: ['docker.io/library/files:latest'] };
  const { collector, removed, mount } = harness([mountedOne, imageOf('b')], {
    ...POLICY,
    ageMinMs: 0,
  });
  mount('files');
  await collector.deleteUnused();
  expect(removed).toEqual([imageOf('b').ref]);
});
