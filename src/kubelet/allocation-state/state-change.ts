/**
 * Defines the changes of a state store as pure functions from a state to a difference, so that a store need
 * not copy all pods to change one of them.
 *
 * A change without an effect has an empty difference, so that a store has nothing to write (KL-99). Resources
 * are compared by value: 1 and 1000m are the same amount of cpu, and a missing list equals an empty one; the
 * first spelling is kept until the amount changes. Kubernetes' kubelet compares 32-bit checksums instead, and
 * loses a change if the checksums happen to be equal.
 */
import type { ResourceRequirements } from '../../api/resources.ts';
import { structOf } from '../../api/schema/schema.ts';
import { semanticallyEqual } from '../../api/values/semantic-equal.ts';
import type { PodResources, PodResourcesByUid } from '../../ports/pod/state-store.ts';

/** The new resources of each changed pod; null: it is removed. */
export type Difference = ReadonlyMap<string, PodResources | null>;

export type StateChange = (state: PodResourcesByUid) => Difference;

const NOTHING: PodResources = { containers: new Map() };
const SAME: Difference = new Map();

/** Makes the change in `state` itself. True: something has changed. */
export function applyChange(state: Map<string, PodResources>, change: StateChange): boolean {
  const difference = change(state);
  for (const [uid, resources] of difference) {
    if (resources) state.set(uid, resources);
    else state.delete(uid);
  }
  return difference.size > 0;
}

export function settingContainer(
  uid: string,
  containerName: string,
  resources: ResourceRequirements,
): StateChange {
  return changingPod(uid, (old = NOTHING) => {
    if (isSame(old.containers.get(containerName), resources)) return old;
    return { ...old, containers: new Map(old.containers).set(containerName, resources) };
  });
}

/** Adds the pod if it is unknown, even if there are no resources to set. */
export function settingPodLevel(
  uid: string,
  resources: ResourceRequirements | undefined,
): StateChange {
  return changingPod(uid, (old = NOTHING) =>
    isSame(old.pod, resources) ? old : { ...old, pod: resources },
  );
}

export function settingPod(uid: string, resources: PodResources): StateChange {
  return changingPod(uid, (old) => (old ? shareContents(old, resources) : copyOf(resources)));
}

export function removingPod(uid: string): StateChange {
  return (state) => (state.has(uid) ? new Map([[uid, null]]) : SAME);
}

export function removingOrphans(remaining: ReadonlySet<string>): StateChange {
  return keeping((uid) => remaining.has(uid));
}

export function clearing(): StateChange {
  return keeping(() => false);
}

function changingPod(
  uid: string,
  change: (old: PodResources | undefined) => PodResources,
): StateChange {
  return (state) => {
    const old = state.get(uid);
    const next = change(old);
    return next === old ? SAME : new Map([[uid, next]]);
  };
}

function keeping(stays: (uid: string) => boolean): StateChange {
  return (state) =>
    new Map([...state.keys()].filter((uid) => !stays(uid)).map((uid) => [uid, null]));
}

/** `next`, but with the parts of `old` that have equal values. */
function shareContents(old: PodResources, next: PodResources): PodResources {
  const containers = new Map<string, ResourceRequirements>();
  let shared = 0;
  for (const [name, resources] of next.containers) {
    const before = old.containers.get(name);
    const stays = before !== undefined && isSame(before, resources);
    containers.set(name, stays ? before : resources);
    if (stays) shared += 1;
  }
  const isSamePod = isSame(old.pod, next.pod);
  const areSameContainers = shared === containers.size && shared === old.containers.size;
  if (isSamePod && areSameContainers) return old;
  return {
    containers: areSameContainers ? old.containers : containers,
    pod: isSamePod ? old.pod : next.pod,
  };
}

/** The caller could still modify the map, although its type is read-only; the state must not change. */
function copyOf({ containers, pod }: PodResources): PodResources {
  return { containers: new Map(containers), pod };
}

/** Undefined resources and empty resources are not the same. */
function isSame(a: ResourceRequirements | undefined, b: ResourceRequirements | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return semanticallyEqual(a, b, structOf('core/v1.ResourceRequirements'));
}
