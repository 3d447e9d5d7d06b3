/** Acts of users on pods in the API: create, change, delete, and delete without a grace period. */
import type { Pod } from '../../src/api/pod.ts';
import { isMirrorPod } from '../../src/core/pod/pod-facts.ts';
import type { Act, Scene } from './acts.ts';
import { apiPod, NAMESPACE } from './pod-templates.ts';

/** Few names, so that pods are created again under the names of others. */
const NAMES = ['web-0', 'web-1', 'web-2', 'web-3', 'web-4', 'web-5'];

export const POD_ACTS: readonly Act[] = [
  { name: 'user: creates a pod', weight: 14, play: createPod },
  { name: 'user: deletes a pod', weight: 8, play: deletePod },
  { name: 'user: deletes with less time', weight: 5, play: hurryDeletion },
  { name: 'user: deletes by force', weight: 3, play: deleteByForce },
  { name: 'user: labels a pod', weight: 2, play: labelPod },
  { name: 'user: changes an image', weight: 2, play: changeImage },
];

export function createPod({ world, dice }: Scene): string | null {
  const { api } = world;
  const free = NAMES.filter((name) => !api.find({ name, namespace: NAMESPACE }));
  const name = dice.pick(free);
  if (name === undefined) return null;
  const uid = world.newUid(name);
  api.create(apiPod(name, uid, dice));
  return uid;
}

/** Pods that users consider theirs, so no mirror pods. */
export function usersPods({ world }: Scene, isWanted = true): readonly Pod[] {
  return world.api.pods().filter((pod) => {
    const isKept = pod.metadata.deletionGracePeriodSeconds === undefined;
    return !isMirrorPod(pod) && isKept === isWanted;
  });
}

function deletePod(scene: Scene): string | null {
  const { world, dice } = scene;
  const pod = dice.pick(usersPods(scene));
  if (!pod) return null;
  const { uid = '' } = pod.metadata;
  const own = pod.spec.terminationGracePeriodSeconds ?? 30;
  const seconds = dice.oneOf(own, own, 1, 20, 60);
  world.api.delete(uid, seconds);
  return `${uid} within ${seconds} s`;
}

function hurryDeletion(scene: Scene): string | null {
  const { world, dice } = scene;
  const slow = usersPods(scene, false).filter(
    ({ metadata }) => (metadata.deletionGracePeriodSeconds ?? 0) > 1,
  );
  const pod = dice.pick(slow);
  if (!pod) return null;
  const { uid = '', deletionGracePeriodSeconds: before = 2 } = pod.metadata;
  const seconds = dice.between(1, before - 1);
  world.api.delete(uid, seconds);
  return `${uid} within ${seconds} s`;
}

function deleteByForce(scene: Scene): string | null {
  const { world, dice } = scene;
  const pod = dice.pick([...usersPods(scene), ...usersPods(scene, false)]);
  if (!pod) return null;
  const { uid = '' } = pod.metadata;
  world.api.delete(uid, 0);
  return uid;
}

function labelPod(scene: Scene): string | null {
  const { world, dice } = scene;
  const uid = dice.pick(usersPods(scene))?.metadata.uid;
  if (uid === undefined) return null;
  const labels = { turn: String(dice.between(0, 999)) };
  world.api.change(uid, (pod) => ({ ...pod, metadata: { ...pod.metadata, labels } }));
  return uid;
}

function changeImage(scene: Scene): string | null {
  const { world, dice } = scene;
  const uid = dice.pick(usersPods(scene))?.metadata.uid;
  if (uid === undefined) return null;
  const image = `app:${dice.between(2, 9)}`;
  world.api.change(uid, (pod) => {
    const [first, ...rest] = pod.spec.containers;
    const { generation = 1 } = pod.metadata;
    return {
      ...pod,
      metadata: { ...pod.metadata, generation: generation + 1 },
      spec: { ...pod.spec, containers: first ? [{ ...first, image }, ...rest] : rest },
    };
  });
  return `${uid} to ${image}`;
}
