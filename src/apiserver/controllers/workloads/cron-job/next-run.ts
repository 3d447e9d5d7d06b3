/**
 * Finds the next time of a schedule after a moment, with the algorithm of robfig/cron v3, which Kubernetes
 * uses: it advances month, day, hour and minute one after the other, and starts again when one of them wraps.
 *
 *     clocks go forward ──> a skipped time is not due that day
 *     clocks go back ─────> a time that occurs twice is due twice
 *
 * A schedule without a time within five years (30 February) is never due.
 */
import { momentOf, wallTimeOf, type TimeZone } from '../../../../api/values/time-zone.ts';
import type { CronSchedule, FieldSchedule } from '../../../kinds/batch/cron-schedule.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const YEARS_MAX = 5;

/** Null: the schedule is never due again. */
export function nextRunMs(schedule: CronSchedule, zone: TimeZone, afterMs: number): number | null {
  const fullMs = Math.floor(afterMs / SECOND_MS) * SECOND_MS;
  if (schedule.kind === 'every') return fullMs + schedule.seconds * SECOND_MS;
  return new Search(schedule, zone, fullMs + SECOND_MS).run();
}

class Search {
  readonly #schedule: FieldSchedule;
  readonly #zone: TimeZone;
  #ms: number;
  /** True: a field was advanced, so the smaller fields were reset to their start. */
  #isMoved = false;

  constructor(schedule: FieldSchedule, zone: TimeZone, startMs: number) {
    this.#schedule = schedule;
    this.#zone = zone;
    this.#ms = startMs;
  }

  run(): number | null {
    const yearMax = this.#wall().year + YEARS_MAX;
    while (this.#wall().year <= yearMax) {
      const isFound =
        this.#findMonth() && this.#findDay() && this.#findHour() && this.#findMinute();
      if (isFound && this.#findSecond()) return this.#ms;
    }
    return null;
  }

  // Each of these returns false when it wraps; the search then starts over.

  #findMonth(): boolean {
    while (!this.#schedule.months.has(this.#wall().month)) {
      this.#begin({ day: 1, hour: 0, minute: 0, second: 0 });
      const { month } = this.#wall();
      this.#ms = momentOf(this.#zone, { ...this.#wall(), month: month + 1 });
      if (this.#wall().month === 1) return false;
    }
    return true;
  }

  #findDay(): boolean {
    while (!this.#isDay()) {
      this.#begin({ hour: 0, minute: 0, second: 0 });
      const { day } = this.#wall();
      this.#ms = momentOf(this.#zone, { ...this.#wall(), day: day + 1 });
      // The clock change is at midnight.
      const { hour } = this.#wall();
      if (hour !== 0) this.#ms += (hour > 12 ? 24 - hour : -hour) * HOUR_MS;
      if (this.#wall().day === 1) return false;
    }
    return true;
  }

  #isDay(): boolean {
    const { days, weekdays, needsBothDays } = this.#schedule;
    const { day, weekday } = this.#wall();
    const [isDay, isWeekday] = [days.has(day), weekdays.has(weekday)];
    return needsBothDays ? isDay && isWeekday : isDay || isWeekday;
  }

  #findHour(): boolean {
    while (!this.#schedule.hours.has(this.#wall().hour)) {
      this.#begin({ minute: 0, second: 0 });
      this.#ms += HOUR_MS;
      if (this.#wall().hour === 0) return false;
    }
    return true;
  }

  #findMinute(): boolean {
    while (!this.#schedule.minutes.has(this.#wall().minute)) {
      if (!this.#isMoved) this.#ms = Math.floor(this.#ms / MINUTE_MS) * MINUTE_MS;
      this.#isMoved = true;
      this.#ms += MINUTE_MS;
      if (this.#wall().minute === 0) return false;
    }
    return true;
  }

  /** Runs are due at the start of a minute. */
  #findSecond(): boolean {
    const { second } = this.#wall();
    if (second === 0) return true;
    this.#isMoved = true;
    this.#ms += (60 - second) * SECOND_MS;
    return false;
  }

  #begin(start: Partial<ReturnType<typeof wallTimeOf>>): void {
    if (this.#isMoved) return;
    this.#isMoved = true;
    this.#ms = momentOf(this.#zone, { ...this.#wall(), ...start });
  }

  #wall() {
    return wallTimeOf(this.#zone, this.#ms);
  }
}
