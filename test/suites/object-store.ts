/**
 * What every object store promises, wherever it keeps its objects.
 *
 * Time stands still unless a case moves it, so no history is compacted in between.
 */
import { describe, expect, test } from 'vitest';
import type { ObjectStore } from '../../src/ports/api/object-store.ts';
import {
  testClosing,
  testCommitting,
  testExpectations,
  testSize,
} from './object-store/committing.ts';
import { testForgetting, testLimits } from './object-store/history.ts';
import { followModel } from './object-store/model.ts';
import { testListing, testReading, testSnapshots } from './object-store/reading.ts';
import { testListeners, testWatching } from './object-store/watching.ts';
import { openWorld, type Open, type OpenOptions } from './object-store/world.ts';

export interface ObjectStoreUnderTest {
  readonly name: string;
  /** An empty one each time. It is cleaned up when the test ends. */
  readonly open: (options: OpenOptions) => Promise<ObjectStore>;
  /** How many random histories to play. */
  readonly histories: number;
}

const TOPICS: Readonly<Record<string, (open: Open) => void>> = {
  reading: testReading,
  listing: testListing,
  snapshots: testSnapshots,
  committing: testCommitting,
  expectations: testExpectations,
  size: testSize,
  closing: testClosing,
  watching: testWatching,
  listeners: testListeners,
  forgetting: testForgetting,
  'limits of history': testLimits,
};

export function objectStoreSuite(underTest: ObjectStoreUnderTest): void {
  const open: Open = (limits = {}) => openWorld(underTest.open, limits);

  describe(`the ${underTest.name} object store`, () => {
    describe.for(Object.entries(TOPICS))('%s', ([, define]) => {
      define(open);
    });
    test('is what a list of all its states would be, through any history', async () => {
      expect.hasAssertions();
      await followModel(async () => (await open()).store, underTest.histories);
    });
  });
}
