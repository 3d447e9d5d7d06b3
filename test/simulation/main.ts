/**
 * `npm run sim -- --seeds N [--from S]` plays N histories; `SEED=S npm run sim` plays one and prints
 * all that happened in it.
 *
 * It fails if an invariant breaks, or if something that can happen never did. The latter is only checked
 * in runs that are long enough to expect everything.
 */
import { parseArgs } from 'node:util';
import { runBatch, type BatchResult } from './batch.ts';
import { runHistory } from './history.ts';
import { describeCounts, describeFailure, describeTotals } from './table.ts';

/** With this many histories everything that is possible has happened, many times over. */
const HISTORIES_FOR_ALL = 300;

const { SEED } = process.env;
process.exitCode = SEED === undefined ? await playMany() : await playOne(Number(SEED));

async function playOne(seed: number): Promise<number> {
  const result = await runHistory(seed);
  for (const line of result.lines()) console.log(line);
  const { events, restarts, pods, calmSeconds, breach } = result;
  console.log(`\nseed ${seed}: ${events} events, ${restarts} restarts, ${pods} pods`);
  if (!breach) console.log(`all came right ${calmSeconds} s after the storm`);
  else for (const line of describeFailure(result).slice(0, 2)) console.log(line);
  return breach ? 1 : 0;
}

async function playMany(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '200' },
      from: { type: 'string', default: '1' },
    },
  });
  const [from, count] = [Number(values.from), Number(values.seeds)];
  const begunMs = performance.now();
  const seeds = Array.from({ length: count }, (_, index) => from + index);
  const result = await runBatch(seeds, ({ seed }) => {
    if (seed % 100 === 0) process.stderr.write(`\r${seed - from + 1} of ${count}`);
  });
  process.stderr.write('\r');
  for (const line of describeCounts(result)) console.log(line);
  for (const failure of result.failures) {
    console.log('');
    for (const line of describeFailure(failure)) console.log(line);
  }
  console.log(`\n${describeTotals(result, (performance.now() - begunMs) / 1000)}`);
  return evaluate(result);
}

function evaluate({ histories, failures, missing }: BatchResult): number {
  if (missing.length > 0) {
    const isEvaluated = histories >= HISTORIES_FOR_ALL;
    console.log(`${isEvaluated ? 'FAILED: ' : ''}possible, but it never happened:`);
    for (const name of missing) console.log(`  ${name}`);
    if (isEvaluated) return 1;
  }
  return failures.length > 0 ? 1 : 0;
}
