/**
 * Decides what to do for a CronJob: which of its Jobs to delete, which are active, and whether a run starts
 * now.
 *
 *     no run is due, suspended, unknown zone ──────> wait
 *     due, after the starting deadline ────────────> MissSchedule, wait
 *     due, Forbid and a Job is active ─────────────> JobAlreadyActive, wait
 *     due, Replace ────────────────────────────────> delete the active Jobs, start
 *     due ─────────────────────────────────────────> start
 *
 * A Job carries its scheduled time, and is created before the status is written. If podkeep is killed in
 * between, the Job still proves that the run was started: no run is missed or started twice.
 */
import { formatTime } from '../../../../api/values/time.ts';
import { readStruct } from '../../../../api/validation/json-reading.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { timeZoneOf, type TimeZone } from '../../../../api/values/time-zone.ts';
import {
  parseCronSchedule,
  ScheduleFault,
  type CronSchedule,
} from '../../../kinds/batch/cron-schedule.ts';
import { objectsAt, textAt, valueAt } from '../../../objects/field-path.ts';
import { metadataOf, nameOf, textOf } from '../../../objects/metadata.ts';
import { isBeingDeleted, uidOf } from '../../garbage/owner-reference.ts';
import type { EventText } from '../../event-recorder.ts';
import { isJobFinished } from '../job/job-plan.ts';
import { timeMs } from '../shared/pod-state.ts';
import { cronJobName, jobReference, oldJobs, rfc1123Time, SCHEDULED_AT } from './cron-job-run.ts';
import { dueRun, msUntilNextRun, type RunClock } from './due-run.ts';

export interface CronJobPlan {
  /** Finished Jobs beyond the history limits, the oldest first. */
  readonly remove: readonly JsonObject[];
  /** The status before a run starts. */
  readonly status: CronJobStatus;
  readonly events: readonly EventText[];
  /** Null: no run starts. */
  readonly start: CronJobStart | null;
  /** Null: plan again only when something changes. */
  readonly requeueMs: number | null;
}

export interface CronJobStatus {
  readonly active: readonly JsonObject[];
  readonly lastScheduleTime: string;
  readonly lastSuccessfulTime: string;
}

export interface CronJobStart {
  readonly scheduledMs: number;
  readonly zone: TimeZone;
  /** References to the Jobs that are deleted before the start. */
  readonly replace: readonly JsonObject[];
}

const SECOND_MS = 1000;
const UNSUPPORTED =
  'is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details';
const TOO_MANY =
  'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew';
const FORBIDDEN =
  'Not starting job because prior execution is running and concurrency policy is Forbid';

/** `jobs`: the Jobs that the CronJob owns. */
export function planCronJob(
  cronJob: JsonObject,
  jobs: readonly JsonObject[],
  nowMs: number,
  notBeforeMs = 0,
): CronJobPlan {
  const remove = oldJobs(cronJob, jobs);
  const { status, events } = observeJobs(cronJob, jobs, nowMs);
  const waiting = { remove, status, start: null };
  if (isBeingDeleted(cronJob)) return { ...waiting, events, requeueMs: null };
  const read = readSchedule(cronJob);
  if ('event' in read) {
    return { ...waiting, events: [...events, ...read.event], requeueMs: null };
  }
  const clock = { ...read, nowMs, notBeforeMs };
  const decision = decideStart({ ...cronJob, status: { ...status } }, status, clock);
  return {
    ...waiting,
    ...decision,
    events: [...events, ...read.notes, ...decision.events],
  };
}

interface Observation {
  readonly status: CronJobStatus;
  readonly events: readonly EventText[];
}

/** Which Jobs are active, and when one last succeeded. */
function observeJobs(cronJob: JsonObject, jobs: readonly JsonObject[], nowMs: number): Observation {
  const events: EventText[] = [];
  const listed = objectsAt(cronJob, 'status.active');
  const byUid = new Map(jobs.map((job) => [uidOf(job), job]));
  const active: JsonObject[] = [];
  for (const reference of listed) {
    const job = byUid.get(textOf(reference['uid']));
    const name = textOf(reference['name']);
    if (!job) events.push(normal('MissingJob', `Active job went missing: ${name}`));
    else if (isJobFinished(job)) {
      const message = `Saw completed job: ${name}, condition: ${conditionOf(job)}`;
      events.push(normal('SawCompletedJob', message));
    } else active.push(reference);
  }
  const known = new Set(listed.map(({ uid }) => textOf(uid)));
  for (const job of jobs) {
    if (known.has(uidOf(job)) || isJobFinished(job) || isBeingDeleted(job)) continue;
    // This controller created the Job and was killed before it wrote the status.
    if (runOf(cronJob, job) > 0) active.push(jobReference(job));
    else {
      const message = `Saw a job that the controller did not create or forgot: ${nameOf(job)}`;
      events.push(warning('UnexpectedJob', message));
    }
  }
  const lastSuccessfulTime = lastSuccess(cronJob, jobs);
  return {
    status: { active, lastScheduleTime: lastRun(cronJob, jobs, nowMs), lastSuccessfulTime },
    events,
  };
}

function conditionOf(job: JsonObject): string {
  const found = objectsAt(job, 'status.conditions').find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
  return textOf(found?.['type']);
}

/** The scheduled time of the Job. 0: it is not a run of the CronJob. */
function runOf(cronJob: JsonObject, job: JsonObject): number {
  const scheduledMs = timeMs(textOf(readStruct(metadataOf(job)['annotations'])[SCHEDULED_AT]));
  return nameOf(job) === cronJobName(cronJob, scheduledMs) ? scheduledMs : 0;
}

/**
 * From the status and from the Jobs, because the status may not have been written. A Job with a time in the
 * future is forged, and ignored.
 */
function lastRun(cronJob: JsonObject, jobs: readonly JsonObject[], nowMs: number): string {
  const known = textAt(cronJob, 'status.lastScheduleTime');
  const runs = jobs.map((job) => runOf(cronJob, job)).filter((ms) => ms <= nowMs);
  const lastMs = Math.max(0, ...runs);
  return lastMs > timeMs(known) ? formatTime(lastMs) : known;
}

function lastSuccess(cronJob: JsonObject, jobs: readonly JsonObject[]): string {
  const times = jobs
    .filter((job) => conditionOf(job) === 'Complete')
    .map((job) => textAt(job, 'status.completionTime'));
  return [textAt(cronJob, 'status.lastSuccessfulTime'), ...times].reduce((last, time) =>
    timeMs(time) > timeMs(last) ? time : last,
  );
}

type ReadSchedule =
  | { readonly event: readonly EventText[] }
  | {
      readonly schedule: CronSchedule;
      readonly zone: TimeZone;
      readonly notes: readonly EventText[];
    };

function readSchedule(cronJob: JsonObject): ReadSchedule {
  const zoneName = valueAt(cronJob, 'spec.timeZone');
  const name = typeof zoneName === 'string' ? zoneName : '';
  const zone = timeZoneOf(name);
  if (!zone) {
    const quoted = JSON.stringify(name);
    const message = `invalid timeZone: ${quoted}: unknown time zone ${name}`;
    return { event: [warning('UnknownTimeZone', message)] };
  }
  if (valueAt(cronJob, 'spec.suspend') === true) return { event: [] };
  const text = textAt(cronJob, 'spec.schedule');
  try {
    const schedule = parseCronSchedule(text);
    const inner = schedule.kind === 'fields' && schedule.zone !== null ? schedule.zone : null;
    const own = inner === null ? zone : timeZoneOf(inner);
    if (!own) throw new ScheduleFault(`provided bad location ${inner}: unknown time zone ${inner}`);
    const notes = text.includes('TZ')
      ? [
          warning(
            'UnsupportedSchedule',
            `CRON_TZ or TZ used in schedule ${JSON.stringify(text)} ${UNSUPPORTED}`,
          ),
        ]
      : [];
    return { schedule, zone: own, notes };
  } catch (error) {
    if (!(error instanceof ScheduleFault)) throw error;
    const message = `unparseable schedule: ${JSON.stringify(text)} : ${error.message}`;
    return { event: [warning('UnparseableSchedule', message)] };
  }
}

type Decision = Pick<CronJobPlan, 'start' | 'events' | 'requeueMs'>;

function decideStart(cronJob: JsonObject, status: CronJobStatus, clock: RunClock): Decision {
  const requeueMs = msUntilNextRun(cronJob, clock);
  const wait = (...events: readonly EventText[]): Decision => ({ start: null, events, requeueMs });
  const text = textAt(cronJob, 'spec.schedule');
  let due;
  try {
    due = dueRun(cronJob, clock);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return wait(warning('InvalidSchedule', `invalid schedule: ${text} : ${why}`));
  }
  const { dueMs, isManyMissed } = due;
  if (dueMs === null) return wait();
  const missed = isManyMissed ? [warning('TooManyMissedTimes', TOO_MANY)] : [];
  const deadline = valueAt(cronJob, 'spec.startingDeadlineSeconds');
  if (typeof deadline === 'number' && dueMs + deadline * SECOND_MS < clock.nowMs) {
    const message = `Missed scheduled time to start a job: ${rfc1123Time(dueMs)}`;
    return wait(...missed, warning('MissSchedule', message));
  }
  const name = cronJobName(cronJob, dueMs);
  // For schedules of less than a minute: the Job of this minute already exists.
  if (status.active.some((one) => one['name'] === name)) return wait(...missed);
  const policy = textAt(cronJob, 'spec.concurrencyPolicy');
  if (policy === 'Forbid' && status.active.length > 0) {
    return wait(...missed, normal('JobAlreadyActive', FORBIDDEN));
  }
  const replace = policy === 'Replace' ? status.active : [];
  return { start: { scheduledMs: dueMs, zone: clock.zone, replace }, events: missed, requeueMs };
}

function normal(reason: string, message: string): EventText {
  return { type: 'Normal', reason, message };
}

function warning(reason: string, message: string): EventText {
  return { type: 'Warning', reason, message };
}
