/** A grace period that is shortened while it runs. */
import { describe, expect, test } from 'vitest';
import { pods } from '../kinds/core/pods.ts';
import { metadataOf } from '../objects/metadata.ts';
import type { DeleteOptions } from '../requests/options.ts';
import { markDeleted } from './deletion.ts';

const START_MS = Date.UTC(2026, 0, 1);
const POD = { metadata: { name: 'a', generation: 1 }, spec: { nodeName: 'n' }, status: {} };

function asking(gracePeriodSeconds: number | null): DeleteOptions {
  return {
    dryRun: false,
    gracePeriodSeconds,
    propagation: null,
    uid: null,
    resourceVersion: null,
  };
}

function shortened(seconds: number | null, afterSeconds: number) {
  const { object } = markDeleted(pods, POD, asking(30), START_MS);
  const now = START_MS + afterSeconds * 1000;
  const { object: later, isGone } = markDeleted(pods, object, asking(seconds), now);
  const { deletionTimestamp, deletionGracePeriodSeconds, generation } = metadataOf(later);
  expect(generation).toBe(2);
  return { at: deletionTimestamp, seconds: deletionGracePeriodSeconds, isGone };
}

describe('a second deletion', () => {
  test('counts the shorter grace period from the first one', () => {
    const at = '2026-01-01T00:00:20Z';
    expect(shortened(20, 5)).toEqual({ at, seconds: 20, isGone: false });
  });

  test('that comes later than its own grace period leaves a second', () => {
    const at = '2026-01-01T00:00:15Z';
    expect(shortened(10, 15)).toEqual({ at, seconds: 1, isGone: false });
  });

  test('without a grace period ends it now', () => {
    const at = '2026-01-01T00:00:15Z';
    expect(shortened(0, 15)).toEqual({ at, seconds: 0, isGone: true });
  });

  test('of a grace period beyond the year 9999 counts from now', () => {
    const { object } = markDeleted(pods, POD, asking(300_000_000_000), START_MS);
    expect(metadataOf(object)).toMatchObject({
      deletionTimestamp: '9999-12-31T23:59:59Z',
      deletionGracePeriodSeconds: 300_000_000_000,
    });
    const { object: later } = markDeleted(pods, object, asking(30), START_MS + 60_000);
    expect(metadataOf(later)).toMatchObject({
      deletionTimestamp: '2026-01-01T00:01:30Z',
      deletionGracePeriodSeconds: 30,
    });
  });

  test.each([null, 30, 60])('with a grace period of %s changes nothing', (seconds) => {
    const at = '2026-01-01T00:00:30Z';
    expect(shortened(seconds, 15)).toEqual({ at, seconds: 30, isGone: false });
  });
});
