import { expect, test } from 'vitest';
import { Budget } from '../../../cel/cel.ts';
import { EvaluationTurns } from './evaluation-turns.ts';

test('others have their turn whenever much was spent since the last one', async () => {
  let count = 0;
  const clock = { turn: () => Promise.resolve(void (count += 1)) };
  const budget = new Budget(1_000_000);
  const turns = new EvaluationTurns(clock, budget);
  const counts: number[] = [];
  for (const cost of [99_999, 1, 50_000, 60_000, 0]) {
    budget.spent += cost;
    await turns.pass();
    counts.push(count);
  }
  expect(counts).toEqual([0, 1, 1, 2, 2]);
});
