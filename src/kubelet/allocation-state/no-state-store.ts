/**
 * A state store that keeps nothing: for runtimes that cannot resize in place. There a pod has what
 * its spec says, and a store with an opinion of its own could only be wrong.
 */
import type { PodResourcesByUid, StateStore } from '../../ports/state-store.ts';

const NO_PODS: PodResourcesByUid = new Map();

export const noStateStore: StateStore = {
  containerResources: () => undefined,
  podLevelResources: () => undefined,
  podResources: () => undefined,
  all: () => NO_PODS,
  setContainerResources: forget,
  setPodLevelResources: forget,
  setPodResources: forget,
  removePod: forget,
  removeOrphanedPods: forget,
  clear: forget,
};

async function forget(): Promise<void> {}
