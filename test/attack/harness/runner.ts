/** Runs attacks against one podkeep: several at once, those that load the machine alone at the end. */
import { startNeighbour } from './neighbour.ts';
import type { Target } from './target.ts';
import { breached, unproven, type Attack, type Outcome, type Result } from './types.ts';

export async function runAttacks(
  target: Target,
  attacks: readonly Attack[],
  parallel: number,
  report: (result: Result) => void,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const run = async (attack: Attack): Promise<void> => {
    const from = Date.now();
    const tried = await attack.run(target).catch((error: unknown) => unproven(String(error)));
    const outcome = await withPodkeep(target, tried, attack.isHeavy);
    const seconds = (Date.now() - from) / 1000;
    const result = { ...outcome, attack, mode: target.mode, seconds };
    results.push(result);
    report(result);
  };
  const waiting = attacks.filter(({ isHeavy }) => !isHeavy);
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await run(next);
  };
  await Promise.all(Array.from({ length: parallel }, work));
  for (const attack of attacks.filter(({ isHeavy }) => isHeavy)) await run(attack);
  return results;
}

let restarting: Promise<void> | undefined;

/**
 * An attack that has ended podkeep has succeeded, whatever else it got. The others need a new podkeep:
 * those that ran beside it share the blame.
 */
async function withPodkeep(target: Target, tried: Outcome, isHeavy: boolean): Promise<Outcome> {
  if (tried.kind !== 'unproven' && !isHeavy) return tried;
  if (await target.answers()) return tried;
  const reason = /^\w*Error: .*$/m.exec(target.tail)?.[0] ?? 'it does not answer';
  restarting ??= target
    .restart()
    .then(() => startNeighbour(target))
    .finally(() => (restarting = undefined));
  await restarting;
  return breached(`podkeep has ended: ${reason}`);
}
