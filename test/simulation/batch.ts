/** Runs many histories, and adds up what happened in them. */
import { runHistory, type HistoryResult } from './history.ts';
import { EVENTS_MIN, PODS_MIN, RESTARTS_MIN } from './history.ts';
import { POSSIBLE } from './possible.ts';

export interface BatchResult {
  readonly histories: number;
  readonly events: number;
  readonly restarts: number;
  readonly pods: number;
  readonly counts: ReadonlyMap<string, number>;
  /** The first histories that broke a rule, or ended too early to count. */
  readonly failures: readonly HistoryResult[];
  /** Possible events that never happened. */
  readonly missing: readonly string[];
}

const FAILURES_MAX = 10;

/** `notified` is called with each history as it ends. */
export async function runBatch(
  seeds: Iterable<number>,
  notified: (result: HistoryResult) => void = () => {},
): Promise<BatchResult> {
  const counts = new Map<string, number>();
  const failures: HistoryResult[] = [];
  const totals = { histories: 0, events: 0, restarts: 0, pods: 0 };
  for (const seed of seeds) {
    const result = await runHistory(seed);
    notified(result);
    for (const [name, count] of result.counts) counts.set(name, (counts.get(name) ?? 0) + count);
    totals.histories += 1;
    totals.events += result.events;
    totals.restarts += result.restarts;
    totals.pods += result.pods;
    if (result.breach || isTooSmall(result)) failures.push(result);
    if (failures.length >= FAILURES_MAX) break;
  }
  const missing = Object.values(POSSIBLE)
    .flat()
    .filter((name) => !counts.has(name));
  return { ...totals, counts, failures, missing };
}

/** A history that ended early proves less than it claims. */
function isTooSmall({ events, restarts, pods }: HistoryResult): boolean {
  return events < EVENTS_MIN || restarts < RESTARTS_MIN || pods < PODS_MIN;
}
