/**
 * Records what an autoscaler recently recommended and scaled. The history is lost at a restart; no target is
 * scaled down directly after a restart.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { objectsAt } from '../../../objects/field-path.ts';

export interface TimedNumber {
  readonly timeMs: number;
  readonly number: number;
}

export interface ScalingHistory {
  /** The highest and the lowest recommendation of each sync period. */
  readonly recommendations: readonly TimedNumber[];
  /** Replicas that were added in each sync period; `downs`: replicas that were removed. */
  readonly ups: readonly TimedNumber[];
  readonly downs: readonly TimedNumber[];
}

const SECOND_MS = 1000;
/**
 * How often an autoscaler is synced. A client that changes the spec causes more syncs, but no more entries.
 */
export const SYNC_MS = 15 * SECOND_MS;
/** Longer than any window (one hour) and period (30 minutes) that the API allows. */
const KEPT_MS = 2 * 60 * 60 * SECOND_MS;

export function newHistory(replicas: number, nowMs: number): ScalingHistory {
  return { recommendations: [{ timeMs: nowMs, number: replicas }], ups: [], downs: [] };
}

export function withRecommendation(
  history: ScalingHistory,
  number: number,
  nowMs: number,
): ScalingHistory {
  const { earlier, same } = byPeriod(history.recommendations, nowMs);
  const numbers = [number, ...same];
  const extremes = new Set([highestOf(numbers), lowestOf(numbers)]);
  const latest = [...extremes].map((one) => ({ timeMs: nowMs, number: one }));
  return { ...history, recommendations: [...earlier, ...latest] };
}

export function withRescale(
  history: ScalingHistory,
  from: number,
  to: number,
  nowMs: number,
): ScalingHistory {
  return to > from
    ? { ...history, ups: added(history.ups, to - from, nowMs) }
    : { ...history, downs: added(history.downs, from - to, nowMs) };
}

function added(
  list: readonly TimedNumber[],
  number: number,
  nowMs: number,
): readonly TimedNumber[] {
  const { earlier, same } = byPeriod(list, nowMs);
  const sum = same.reduce((total, one) => total + one, number);
  return [...earlier, { timeMs: nowMs, number: sum }];
}

/** The entries of earlier periods, and the numbers of the current one. */
function byPeriod(list: readonly TimedNumber[], nowMs: number) {
  const period = Math.floor(nowMs / SYNC_MS);
  const isSame = ({ timeMs }: TimedNumber): boolean => Math.floor(timeMs / SYNC_MS) === period;
  return {
    earlier: list.filter((one) => one.timeMs > nowMs - KEPT_MS && !isSame(one)),
    same: list.filter(isSame).map(({ number }) => number),
  };
}

export function highestOf(numbers: readonly number[]): number {
  return numbers.reduce((highest, one) => Math.max(highest, one), -Infinity);
}

export function lowestOf(numbers: readonly number[]): number {
  return numbers.reduce((lowest, one) => Math.min(lowest, one), Infinity);
}

export function changeWithin(list: readonly TimedNumber[], seconds: number, nowMs: number): number {
  return list
    .filter(({ timeMs }) => timeMs > nowMs - seconds * SECOND_MS)
    .reduce((sum, { number }) => sum + number, 0);
}

export function policiesOf(rules: JsonObject): readonly JsonObject[] {
  return objectsAt(rules, 'policies');
}
