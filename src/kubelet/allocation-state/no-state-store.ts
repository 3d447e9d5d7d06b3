/**
 * A state store that stores nothing: for runtimes that cannot resize in place. There a pod has the
 * resources of its spec, and a stored allocation could only be wrong.
 */
import type { PodResourcesByUid, StateStore } from '../../ports/pod/state-store.ts';

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
