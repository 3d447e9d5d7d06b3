/**
 * Implements StateStore on top of a StateWriter, which holds the state and applies changes to it.
 *
 * The memory store and the checkpoint store differ only in their writer. Invalid resources are refused before
 * they reach the writer.
 */
import type { ResourceRequirements } from '../../api/resources.ts';
import type { PodResources, PodResourcesByUid, StateStore } from '../../ports/pod/state-store.ts';
import { faultOfResources, resourcesInvalid } from './resources-fault.ts';
import * as change from './state-change.ts';

export interface StateWriter {
  get(uid: string): PodResources | undefined;
  /** The current state; the returned map does not change afterwards. */
  snapshot(): PodResourcesByUid;
  change(change: change.StateChange): Promise<void>;
}

export class SavedStateStore implements StateStore {
  readonly #writer: StateWriter;

  constructor(writer: StateWriter) {
    this.#writer = writer;
  }

  containerResources(uid: string, containerName: string): ResourceRequirements | undefined {
    return this.podResources(uid)?.containers.get(containerName);
  }

  podLevelResources(uid: string): ResourceRequirements | undefined {
    return this.podResources(uid)?.pod;
  }

  podResources(uid: string): PodResources | undefined {
    return this.#writer.get(uid);
  }

  all(): PodResourcesByUid {
    return this.#writer.snapshot();
  }

  async setContainerResources(
    uid: string,
    containerName: string,
    resources: ResourceRequirements,
  ): Promise<void> {
    checkContainer(uid, containerName, resources);
    await this.#writer.change(change.settingContainer(uid, containerName, resources));
  }

  async setPodLevelResources(
    uid: string,
    resources: ResourceRequirements | undefined,
  ): Promise<void> {
    checkPodLevel(uid, resources);
    await this.#writer.change(change.settingPodLevel(uid, resources));
  }

  async setPodResources(uid: string, resources: PodResources): Promise<void> {
    for (const [name, requirements] of resources.containers) {
      checkContainer(uid, name, requirements);
    }
    checkPodLevel(uid, resources.pod);
    await this.#writer.change(change.settingPod(uid, resources));
  }

  async removePod(uid: string): Promise<void> {
    await this.#writer.change(change.removingPod(uid));
  }

  async removeOrphanedPods(remaining: ReadonlySet<string>): Promise<void> {
    await this.#writer.change(change.removingOrphans(remaining));
  }

  async clear(): Promise<void> {
    await this.#writer.change(change.clearing());
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
