/**
 * Finds the run of a CronJob that is due: of all missed times, only the most recent one still gets its run.
 *
 *     earliest ────┬──────┬──────┬───── now ──┬───
 *   (last run,     missed  missed due          next
 *    or creation)
 *
 * With `startingDeadlineSeconds`, times before that deadline are ignored. As in Kubernetes, the number of
 * missed runs is estimated from the interval of the first two; above 100 an Event warns about it.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import type { TimeZone } from '../../../../api/values/time-zone.ts';
import type { CronSchedule } from '../../../kinds/batch/cron-schedule.ts';
import { textAt, valueAt } from '../../../objects/field-path.ts';
import { createdMs, timeMs } from '../shared/pod-state.ts';
import { nextRunMs } from './next-run.ts';

export interface RunClock {
  readonly schedule: CronSchedule;
  readonly zone: TimeZone;
  readonly nowMs: number;
  /** Times before this are not due, because the CronJob had another schedule then. */
  readonly notBeforeMs: number;
}

export interface DueRun {
  /** Null: no run is due. */
  readonly dueMs: number | null;
  readonly isManyMissed: boolean;
}

/** The schedule has no times, or only one. */
export const SCHEDULE_EMPTY = 'time difference between two schedules is less than 1 second';

const SECOND_MS = 1000;
const MISSED_MAX = 100;
/** Tolerance for a timer that fires slightly early. */
const DELTA_MS = 100;
const PRECISION_MS = SECOND_MS;

/** Throws SCHEDULE_EMPTY as an Error. */
export function dueRun(cronJob: JsonObject, clock: RunClock): DueRun {
  const { nowMs } = clock;
  const deadline = valueAt(cronJob, 'spec.startingDeadlineSeconds');
  const deadlineMs = typeof deadline === 'number' ? nowMs - deadline * SECOND_MS : 0;
  const earliestMs = Math.max(earliestOf(cronJob, clock), deadlineMs);
  const next = (ms: number): number | null => nextRunMs(clock.schedule, clock.zone, ms);
  const firstMs = next(earliestMs);
  const secondMs = firstMs === null ? null : next(firstMs);
  if (firstMs === null) throw new Error(SCHEDULE_EMPTY);
  if (nowMs < firstMs) return { dueMs: null, isManyMissed: false };
  if (secondMs === null || nowMs < secondMs) return { dueMs: firstMs, isManyMissed: false };
  const intervalMs = secondMs - firstMs;
  const missed = Math.floor((nowMs - firstMs) / intervalMs) + 1;
  const isManyMissed = missed > MISSED_MAX;
  const isInterval = clock.schedule.kind === 'every';
  const lastMs = isInterval
    ? firstMs + (missed - 1) * intervalMs
    : lastRunMs(next, secondMs, nowMs);
  return { dueMs: lastMs, isManyMissed };
}

/** The time until the next run, whether the last one was missed or not. */
export function msUntilNextRun(cronJob: JsonObject, clock: RunClock): number | null {
  const { nowMs, schedule, zone } = clock;
  const earliestMs = earliestOf(cronJob, clock);
  // An `@every` interval counts from the last run.
  const stepMs = schedule.kind === 'every' ? schedule.seconds * SECOND_MS : 1;
  const steps = Math.max(Math.floor((nowMs - earliestMs) / stepMs), 0);
  const next = nextRunMs(schedule, zone, earliestMs + steps * stepMs);
  return next === null ? null : next + DELTA_MS - nowMs;
}

function earliestOf(cronJob: JsonObject, { notBeforeMs }: RunClock): number {
  const last = textAt(cronJob, 'status.lastScheduleTime');
  return Math.max(last === '' ? createdMs(cronJob) : timeMs(last), notBeforeMs);
}

/**
 * The last run until `nowMs`, found by bisection: a schedule of every minute may have been missed for years.
 */
function lastRunMs(next: (ms: number) => number | null, foundMs: number, nowMs: number): number {
  let [low, high] = [foundMs, nowMs];
  while (high - low > PRECISION_MS) {
    const middle = low + Math.floor((high - low) / 2);
    const run = next(middle);
    if (run !== null && run <= nowMs) low = run;
    else high = middle;
  }
  const run = next(low);
  return run !== null && run <= nowMs ? run : low;
}
