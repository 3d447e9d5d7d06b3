/**
 * A StateStore that stores nothing, for runtimes that cannot resize pods in place. With such a runtime, a pod
 * always has the resources of its spec, so a stored allocation could only be wrong.
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
