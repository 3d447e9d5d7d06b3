/**
 * A state store over something that keeps one state and changes it.
 *
 * The memory and the checkpoint differ only in when a change is made and what has to happen first;
 * what the changes are is said here, once. Resources that could not be read back are refused before
 * they come near the state.
 */
import type { ResourceRequirements } from '../../api/resources.ts';
import type { PodResources, PodResourcesByUid, StateStore } from '../../ports/state-store.ts';
import { faultOfResources, resourcesInvalid } from './resources-fault.ts';
import * as change from './state-change.ts';

export interface StateKeeper {
  get(uid: string): PodResources | undefined;
  /** As it is now; it does not change afterwards. */
  snapshot(): PodResourcesByUid;
  change(change: change.StateChange): Promise<void>;
}

export class KeptStateStore implements StateStore {
  readonly #keeper: StateKeeper;

  constructor(keeper: StateKeeper) {
    this.#keeper = keeper;
  }

  containerResources(uid: string, containerName: string): ResourceRequirements | undefined {
    return this.podResources(uid)?.containers.get(containerName);
  }

  podLevelResources(uid: string): ResourceRequirements | undefined {
    return this.podResources(uid)?.pod;
  }

  podResources(uid: string): PodResources | undefined {
    return this.#keeper.get(uid);
  }

  all(): PodResourcesByUid {
    return this.#keeper.snapshot();
  }

  async setContainerResources(
    uid: string,
    containerName: string,
    resources: ResourceRequirements,
  ): Promise<void> {
    checkContainer(uid, containerName, resources);
    await this.#keeper.change(change.settingContainer(uid, containerName, resources));
  }

  async setPodLevelResources(
    uid: string,
    resources: ResourceRequirements | undefined,
  ): Promise<void> {
    checkPodLevel(uid, resources);
    await this.#keeper.change(change.settingPodLevel(uid, resources));
  }

  async setPodResources(uid: string, resources: PodResources): Promise<void> {
    for (const [name, requirements] of resources.containers) {
      checkContainer(uid, name, requirements);
    }
    checkPodLevel(uid, resources.pod);
    await this.#keeper.change(change.settingPod(uid, resources));
  }

  async removePod(uid: string): Promise<void> {
    await this.#keeper.change(change.removingPod(uid));
  }

  async removeOrphanedPods(remaining: ReadonlySet<string>): Promise<void> {
    await this.#keeper.change(change.removingOrphans(remaining));
  }

  async clear(): Promise<void> {
    await this.#keeper.change(change.clearing());
  }
}

function checkContainer(uid: string, name: string, resources: ResourceRequirements): void {
  const fault = faultOfResources(resources);
  if (fault !== undefined) throw resourcesInvalid({ of: `container ${name} of pod ${uid}`, fault });
}

function checkPodLevel(uid: string, resources: ResourceRequirements | undefined): void {
  const fault = resources && faultOfResources(resources);
  if (fault !== undefined) throw resourcesInvalid({ of: `pod ${uid}`, fault });
}
