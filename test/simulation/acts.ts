/** What users, admins, other controllers and bad luck do to the simulated cluster. */
import type { Dice } from './dice.ts';
import type { World } from './world.ts';

export interface Scene {
  readonly world: World;
  readonly dice: Dice;
}

export interface Act {
  readonly name: string;
  /** How often it is tried, compared with the others. */
  readonly weight: number;
  /** Returns what was done, or null if there was nothing to do it to. */
  readonly play: (scene: Scene) => string | null;
}

/** Tries acts until one of them finds something to do. */
export function playAct(scene: Scene, acts: readonly Act[]): void {
  const { world, dice } = scene;
  const total = acts.reduce((sum, { weight }) => sum + weight, 0);
  for (let attempt = 0; attempt < 20; attempt++) {
    let ticket = dice.next() * total;
    const act = acts.find(({ weight }) => (ticket -= weight) < 0);
    const done = act?.play(scene) ?? null;
    if (!act || done === null) continue;
    world.journal.count(act.name);
    world.journal.notify('user', `${act.name}: ${done}`);
    return;
  }
}
