/** Runs attacks against one podkeep: several at once, those that load the machine alone at the end. */
import type { Target } from './target.ts';
import { unproven, type Attack, type Result } from './types.ts';

export async function runAttacks(
  target: Target,
  attacks: readonly Attack[],
  parallel: number,
  report: (result: Result) => void,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const run = async (attack: Attack): Promise<void> => {
    const from = Date.now();
    const outcome = await attack.run(target).catch((error: unknown) => unproven(String(error)));
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
