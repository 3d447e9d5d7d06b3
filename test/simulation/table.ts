/** The output of a run. */
import type { BatchResult } from './batch.ts';
import type { HistoryResult } from './history.ts';
import { INVARIANTS } from './invariants.ts';
import { POSSIBLE } from './possible.ts';

/** How many of the last events a failure shows. */
const LAST_EVENTS = 40;

/** How often each possible event happened. */
export function describeCounts({ counts }: BatchResult): readonly string[] {
  return Object.entries(POSSIBLE).flatMap(([group, names]) => [
    '',
    group,
    ...names.map((name) => countLine(counts.get(name) ?? 0, name)),
  ]);
}

/** One line to replay it, the rule that broke, and the last events. */
export function describeFailure(result: HistoryResult): readonly string[] {
  const { seed, breach } = result;
  const again = `SEED=${seed} npm run sim`;
  if (!breach) {
    const { events, restarts, pods } = result;
    return [again, `  is too small: ${events} events, ${restarts} restarts, ${pods} pods`];
  }
  const { invariant, what } = breach;
  return [
    `${again}   invariant ${invariant}: ${INVARIANTS[invariant] ?? 'unknown'}`,
    `  ${what}`,
    ...result.lines(LAST_EVENTS).map((line) => `  ${line}`),
  ];
}

export function describeTotals(result: BatchResult, seconds: number): string {
  const { histories, events, restarts, pods, failures } = result;
  const outcome = failures.length === 0 ? 'all kept every invariant' : `${failures.length} failed`;
  const rate = (histories / seconds).toFixed(1);
  return (
    `${histories} histories, ${events} events, ${pods} pods, ${restarts} restarts ` +
    `in ${seconds.toFixed(1)} s (${rate} a second): ${outcome}`
  );
}

function countLine(count: number, name: string): string {
  const times = count === 0 ? 'never' : String(count);
  return `${times.padStart(9)}  ${name}`;
}
