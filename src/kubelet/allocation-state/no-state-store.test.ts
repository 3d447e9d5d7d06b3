import { expect, test } from 'vitest';
import { LARGE, SMALL, stateStoreSuite } from '../../../test/suites/state-store.ts';
import { noStateStore } from './no-state-store.ts';

const KEEPS_NOTHING = 'this store keeps nothing';

stateStoreSuite({
  name: 'empty',
  open: async () => ({ store: noStateStore, close: async () => {} }),
  skip: {
    'what was handed out does not change afterwards': KEEPS_NOTHING,
    'containers and the pod as a whole are kept side by side (A-26)': KEEPS_NOTHING,
    'setting a pod replaces all that was known about it': KEEPS_NOTHING,
    'pod-level resources can be taken back, and the pod stays known': KEEPS_NOTHING,
    'amounts are kept as they are spelled': KEEPS_NOTHING,
    'fields that nobody here knows are kept with the resources': KEEPS_NOTHING,
    '__proto__ and constructor are names like any other': KEEPS_NOTHING,
    'a map that its owner changes later changes nothing in the store': KEEPS_NOTHING,
    'changes made at the same time are all kept, in the order of the calls': KEEPS_NOTHING,
    'an amount that cannot be read is refused by name, and nothing changes':
      'what is not kept need not be readable',
    'a removed pod is gone, and the others stay': KEEPS_NOTHING,
    'only the pods that remain survive the orphans': KEEPS_NOTHING,
    'keeps what a plain map of pods would keep, whatever happens': KEEPS_NOTHING,
  },
});

test('whatever is set, it has no pods', async () => {
  await noStateStore.setContainerResources('pod', 'main', SMALL);
  await noStateStore.setPodLevelResources('pod', LARGE);
  expect(noStateStore.podResources('pod')).toBeUndefined();
  expect(noStateStore.all().size).toBe(0);
});
