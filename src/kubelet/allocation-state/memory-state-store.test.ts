import { expect, test } from 'vitest';
import { podOf, SMALL, stateStoreSuite } from '../../../test/suites/state-store.ts';
import { createMemoryStateStore } from './memory-state-store.ts';

stateStoreSuite({
  name: 'memory',
  open: async () => ({ store: createMemoryStateStore(), close: async () => {} }),
});

test('a memory store can start with an initial state', async () => {
  const initial = new Map([['pod', podOf({ main: SMALL })]]);
  const store = createMemoryStateStore(initial);
  await store.clear();
  expect(store.all().size).toBe(0);
  expect(initial.size).toBe(1);
});
