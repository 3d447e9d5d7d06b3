import { expect, test } from 'vitest';
import {
  bytesToFree,
  diskFullMessage,
  isOldEnough,
  isTooOld,
  rememberImages,
  unusedImages,
} from './image-collection.ts';

const POLICY = {
  highThresholdPercent: 85,
  lowThresholdPercent: 80,
  ageMinMs: 120_000,
  ageMaxMs: 0,
};

function image(ref: string, isPinned = false) {
  return { ref, sizeBytes: 10, isPinned, names: [] };
}

function sight(refs: readonly string[], used: readonly string[] = []) {
  return {
    images: refs.map((ref) => image(ref)),
    isUsed: ({ ref }: { readonly ref: string }) => used.includes(ref),
  };
}

test('an image is recorded when listed, used when a container has it, and forgotten when gone', () => {
  const first = rememberImages(new Map(), sight(['a', 'b'], ['a']), 1000);
  expect(first.get('a')).toMatchObject({ firstSeenMs: 1000, lastUsedMs: 1000 });
  expect(first.get('b')).toMatchObject({ firstSeenMs: 1000, lastUsedMs: 0 });
  const second = rememberImages(first, sight(['a', 'c']), 2000);
  expect(second.get('a')).toMatchObject({ firstSeenMs: 1000, lastUsedMs: 1000 });
  expect([...second.keys()]).toEqual(['a', 'c']);
});

test('the longest unused is removed first, and neither used nor pinned ones', () => {
  const before = rememberImages(new Map(), sight(['old', 'used', 'newer'], ['newer']), 1000);
  const now = {
    images: [...sight(['newer', 'old', 'used', 'newest']).images, image('pinned', true)],
    isUsed: ({ ref }: { readonly ref: string }) => ref === 'used',
  };
  const records = rememberImages(before, now, 2000);
  expect(unusedImages(records, now).map(({ ref }) => ref)).toEqual(['old', 'newest', 'newer']);
});

test('an image is removed for its age only after podkeep has run that long', () => {
  const policy = { ...POLICY, ageMaxMs: 1000 };
  const old = { ref: 'a', firstSeenMs: 0, lastUsedMs: 0, sizeBytes: 1, isPinned: false };
  expect(isTooOld(old, policy, 5000, 4500)).toBe(false);
  expect(isTooOld(old, policy, 5000, 3000)).toBe(true);
  expect(isTooOld({ ...old, lastUsedMs: 4500 }, policy, 5000, 3000)).toBe(false);
  expect(isTooOld(old, POLICY, 5000, 0)).toBe(false);
});

test('one that was just pulled stays for its container', () => {
  const fresh = { ref: 'a', firstSeenMs: 1000, lastUsedMs: 0, sizeBytes: 1, isPinned: false };
  expect(isOldEnough(fresh, POLICY, 120_999)).toBe(false);
  expect(isOldEnough(fresh, POLICY, 121_000)).toBe(true);
});

test('space is freed from the high threshold down to the low one', () => {
  expect(bytesToFree({ capacityBytes: 1000, availableBytes: 160 }, POLICY)).toBe(0);
  expect(bytesToFree({ capacityBytes: 1000, availableBytes: 150 }, POLICY)).toBe(50);
  expect(bytesToFree({ capacityBytes: 1000, availableBytes: 0 }, POLICY)).toBe(200);
});

test('the message says how full the disk is', () => {
  expect(diskFullMessage({ capacityBytes: 3 * 2 ** 30, availableBytes: 2 ** 27 }, 42)).toBe(
    "Insufficient free disk space on the node's image filesystem (96% of 3.0 GiB used). " +
      'Failed to free sufficient space by deleting unused images (freed 42 bytes). ' +
      'Investigate disk usage, as it could be used by active images, logs, volumes, or other data.',
  );
});
