/** Acts on the resources of the node: other programs, images, and pods that use more or less. */
import type { Act, Scene } from '../acts.ts';
import { CAPACITIES } from './eviction-policies.ts';
import { MiB } from './pod-traits.ts';

export const PRESSURE_ACTS: readonly Act[] = [
  { name: 'node: other programs take and free', weight: 9, play: turnTide },
  { name: 'node: everything is free again', weight: 2, play: free },
  { name: 'node: images and dead containers gather', weight: 3, play: gather },
  { name: 'container: uses more', weight: 4, play: grow },
];

/** From none to more than any threshold wants, in 32nds of the capacity. */
const AVAILABLE = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 20];

function turnTide({ world, dice }: Scene): string | null {
  const signal = dice.pick(Object.keys(CAPACITIES)) ?? '';
  const parts = (dice.pick(AVAILABLE) ?? 0) + dice.oneOf(-0.25, 0, 0.25);
  const available = Math.max(Math.floor(((CAPACITIES[signal] ?? 0) * parts) / 32), 0);
  world.node.setAvailable(signal, available);
  return `${signal} is ${available}`;
}

function free({ world }: Scene): string | null {
  world.node.clearUp();
  return 'no other program uses anything';
}

function gather({ world, dice }: Scene): string | null {
  const fileSystem = dice.oneOf('nodefs', 'imagefs');
  const amounts = { bytes: dice.between(1, 4096) * MiB, inodes: dice.between(1, 4096) };
  world.node.addGarbage(fileSystem, amounts);
  return `${amounts.bytes / MiB} Mi in ${fileSystem}`;
}

function grow({ world, dice }: Scene): string | null {
  const pods = world.runtime.records.all().filter(({ pod }) => world.node.useOf(pod.uid));
  const uid = dice.pick(pods)?.pod.uid;
  if (uid === undefined) return null;
  const what = dice.oneOf('memory', 'disk', 'disk', 'processes');
  const factor = dice.oneOf(0, 2, 3, 8);
  world.node.grow(uid, what, factor);
  return `${uid} uses ${factor} times its ${what}`;
}
