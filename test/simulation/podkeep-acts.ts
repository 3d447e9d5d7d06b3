/** What happens to podkeep itself, and to its connections. */
import type { Act, Scene } from './acts.ts';

export const PODKEEP_ACTS: readonly Act[] = [
  { name: 'podkeep: crashes', weight: 1.5, play: crash },
  { name: 'podkeep: is restarted', weight: 0.7, play: restart },
  { name: 'watch: is cut', weight: 1, play: cutWatch },
  { name: 'api: does not answer for a while', weight: 0.7, play: failApi },
];

export function crash({ world, dice }: Scene): string | null {
  if (!world.life) return null;
  const downMs = dice.oneOf(10, 200, 3000, 12_000);
  world.crashPodkeep();
  world.clock.after(downMs, () => world.startPodkeep());
  return `for ${downMs} ms`;
}

function restart({ world, dice }: Scene): string | null {
  if (!world.life) return null;
  world.stopPodkeep();
  const downMs = dice.oneOf(10, 1000);
  const startAgain = (): void => {
    world.startPodkeep();
    if (!world.life) world.clock.after(downMs, startAgain);
  };
  world.clock.after(downMs, startAgain);
  return `down for ${downMs} ms at least`;
}

function cutWatch({ world }: Scene): string | null {
  if (!world.life) return null;
  world.api.cutWatches();
  return 'listed again later';
}

function failApi({ world, dice }: Scene): string | null {
  const ms = dice.oneOf(500, 5000, 25_000);
  world.api.failFor(ms);
  return `${ms} ms`;
}
