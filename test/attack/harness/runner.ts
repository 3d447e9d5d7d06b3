/**
 * Runs attacks against one podkeep: several at once, those that load the machine alone at the end.
 *
 * An attacker that did not run, or a deadline that has passed, may be the fault of a busy machine: such an
 * attack is tried once more, alone, and both results are printed. An attack that has succeeded is not.
 */
import { startNeighbour } from './neighbour.ts';
import type { Target } from './target.ts';
import {
  breached,
  DeadlinePassed,
  late,
  unproven,
  type Attack,
  type Outcome,
  type Result,
} from './types.ts';

export async function runAttacks(
  target: Target,
  attacks: readonly Attack[],
  parallel: number,
  report: (result: Result) => void,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const run = async (attack: Attack): Promise<Result> => {
    const from = Date.now();
    const tried = await attack.run(target).catch(outcomeOf);
    const outcome = await withPodkeep(target, tried, attack.isHeavy);
    const seconds = (Date.now() - from) / 1000;
    const result = { ...outcome, attack, mode: target.mode, seconds };
    report(result);
    return result;
  };
  const waiting = attacks.filter(({ isHeavy }) => !isHeavy);
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results.push(await run(next));
  };
  await Promise.all(Array.from({ length: parallel }, work));
  for (const attack of attacks.filter(({ isHeavy }) => isHeavy)) results.push(await run(attack));
  for (const [index, { attack, kind }] of results.entries()) {
    if (kind === 'unproven' || kind === 'late') results[index] = await run(attack);
  }
  return results;
}

function outcomeOf(error: unknown): Outcome {
  return error instanceof DeadlinePassed ? late(error.message) : unproven(String(error));
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
