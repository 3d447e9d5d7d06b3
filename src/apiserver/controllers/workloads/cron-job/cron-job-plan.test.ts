import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../lib/json.ts';
import { nameOf } from '../../../objects/metadata.ts';
import { planCronJob } from './cron-job-plan.ts';
import { jobOfRun } from './cron-job-run.ts';
import { timeZoneOf, UTC_ZONE } from '../../../../api/values/time-zone.ts';

const at = (time: string): number => Date.parse(`2026-05-04T${time}Z`);
const stamp = (time: string): string => `2026-05-04T${time}Z`;

function cronJobOf(spec: JsonObject = {}, status: JsonObject = {}): JsonObject {
  return {
    metadata: {
      name: 'tick',
      namespace: 'default',
      uid: 'cron',
      creationTimestamp: stamp('10:00:30'),
    },
    spec: {
      schedule: '*/10 * * * *',
      concurrencyPolicy: 'Allow',
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
      jobTemplate: { spec: { template: {} } },
      ...spec,
    },
    status,
  };
}

/** A Job of the run at this time; `end` is its condition. */
function runOf(time: string, end = '', start = time): JsonObject {
  const job = jobOfRun(cronJobOf(), at(time), UTC_ZONE);
  const conditions = end === '' ? [] : [{ type: end, status: 'True' }];
  return {
    ...job,
    metadata: { ...(job['metadata'] as JsonObject), uid: `uid-${time}` },
    status: {
      conditions,
      startTime: stamp(start),
      ...(end === 'Complete' && { completionTime: stamp(time) }),
    },
  };
}

const referenceTo = (time: string): JsonObject => ({
  name: `tick-${at(time) / 60_000}`,
  uid: `uid-${time}`,
});

const reasons = (events: readonly { reason: string }[]): readonly string[] =>
  events.map(({ reason }) => reason);

describe('when a run starts', () => {
  test.each([
    ['before the first time', {}, {}, '10:09:59', null],
    ['at the first time', {}, {}, '10:10:00', '10:10:00'],
    ['a little later', {}, {}, '10:10:07', '10:10:00'],
    ['after it has run', {}, { lastScheduleTime: stamp('10:10:00') }, '10:10:07', null],
    ['after missed times, the most recent', {}, {}, '10:47:00', '10:40:00'],
    ['within the deadline', { startingDeadlineSeconds: 60 }, {}, '10:10:59', '10:10:00'],
    ['after the deadline', { startingDeadlineSeconds: 60 }, {}, '10:11:01', null],
    ['suspended', { suspend: true }, {}, '10:10:00', null],
    [
      'in another zone',
      { schedule: '30 12 * * *', timeZone: 'Europe/Berlin' },
      {},
      '10:30:00',
      '10:30:00',
    ],
    ['an interval', { schedule: '@every 90s' }, {}, '10:02:05', '10:02:00'],
    ['an interval, missed', { schedule: '@every 90s' }, {}, '10:05:20', '10:05:00'],
  ])('%s', (_, spec, status, now, due) => {
    const { start, events } = planCronJob(cronJobOf(spec, status), [], at(now));
    expect(start?.scheduledMs ?? null).toBe(due === null ? null : at(due));
    expect(events).toEqual([]);
  });

  test('a run is asked for again a little after the next time', () => {
    const wait = (spec: JsonObject, now: string): unknown =>
      planCronJob(cronJobOf(spec), [], at(now)).requeueMs;
    expect(wait({}, '10:12:00')).toBe(8 * 60_000 + 100);
    expect(wait({ schedule: '@every 90s' }, '10:03:00')).toBe(30_100);
    expect(wait({ suspend: true }, '10:12:00')).toBeNull();
  });

  test('a changed schedule does not make up for times before the change', () => {
    const plan = planCronJob(cronJobOf(), [], at('10:15:00'), at('10:12:00'));
    expect(plan.start).toBeNull();
    expect(plan.requeueMs).toBe(5 * 60_000 + 100);
  });

  test('more than a hundred missed times: one run, and a warning', () => {
    const cronJob = cronJobOf({ schedule: '* * * * *' });
    const few = planCronJob(cronJob, [], at('11:40:30'));
    expect([reasons(few.events), few.start?.scheduledMs]).toEqual([[], at('11:40:00')]);
    const many = planCronJob(cronJob, [], at('11:41:30'));
    expect([reasons(many.events), many.start?.scheduledMs]).toEqual([
      ['TooManyMissedTimes'],
      at('11:41:00'),
    ]);
  });

  test('years of missed minutes cost no more than a few', () => {
    const cronJob = cronJobOf(
      { schedule: '* * * 1 *' },
      { lastScheduleTime: '2016-01-31T23:58:00Z' },
    );
    const { start } = planCronJob(cronJob, [], at('10:00:00'));
    expect(start?.scheduledMs).toBe(Date.UTC(2026, 0, 31, 23, 59));
  });

  test.each([
    [
      { timeZone: 'Nowhere/Land' },
      'UnknownTimeZone: invalid timeZone: "Nowhere/Land": unknown time zone Nowhere/Land',
    ],
    [
      { schedule: '* * *' },
      'UnparseableSchedule: unparseable schedule: "* * *" : expected exactly 5 fields, found 3: [* * *]',
    ],
    [
      { schedule: '0 0 30 2 *' },
      'InvalidSchedule: invalid schedule: 0 0 30 2 * : time difference between two schedules is less than 1 second',
    ],
  ])('%j starts nothing and says why', (spec, text) => {
    const { start, events } = planCronJob(cronJobOf(spec), [], at('10:10:00'));
    expect(start).toBeNull();
    expect(events.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([text]);
  });

  test('a zone in the schedule is obeyed, with a warning', () => {
    const schedule = 'TZ=Europe/Berlin 30 12 * * *';
    const { start, events } = planCronJob(cronJobOf({ schedule }), [], at('10:30:00'));
    expect([start?.scheduledMs, reasons(events)]).toEqual([
      at('10:30:00'),
      ['UnsupportedSchedule'],
    ]);
  });
});

describe('while a Job is active', () => {
  const status = { active: [referenceTo('10:10:00')], lastScheduleTime: stamp('10:10:00') };
  const jobs = [runOf('10:10:00')];

  test('Allow starts another', () => {
    const plan = planCronJob(cronJobOf({}, status), jobs, at('10:20:00'));
    expect(plan.start).toMatchObject({ scheduledMs: at('10:20:00'), replace: [] });
    expect(plan.status.active).toEqual(status.active);
  });

  test('Forbid waits', () => {
    const plan = planCronJob(
      cronJobOf({ concurrencyPolicy: 'Forbid' }, status),
      jobs,
      at('10:20:00'),
    );
    expect([plan.start, reasons(plan.events)]).toEqual([null, ['JobAlreadyActive']]);
  });

  test('Replace deletes it', () => {
    const plan = planCronJob(
      cronJobOf({ concurrencyPolicy: 'Replace' }, status),
      jobs,
      at('10:20:00'),
    );
    expect(plan.start?.replace).toEqual(status.active);
  });
});

describe('the status', () => {
  test('a finished Job leaves the list, and its success is remembered', () => {
    const status = { active: [referenceTo('10:10:00')], lastScheduleTime: stamp('10:10:00') };
    const plan = planCronJob(
      cronJobOf({}, status),
      [runOf('10:10:00', 'Complete')],
      at('10:12:00'),
    );
    expect(plan.status).toEqual({
      active: [],
      lastScheduleTime: stamp('10:10:00'),
      lastSuccessfulTime: stamp('10:10:00'),
    });
    expect(plan.events).toEqual([
      {
        type: 'Normal',
        reason: 'SawCompletedJob',
        message: `Saw completed job: tick-${at('10:10:00') / 60_000}, condition: Complete`,
      },
    ]);
  });

  test('a Job that is gone leaves the list', () => {
    const plan = planCronJob(
      cronJobOf({}, { active: [referenceTo('10:10:00')] }),
      [],
      at('10:05:00'),
    );
    expect([plan.status.active, reasons(plan.events)]).toEqual([[], ['MissingJob']]);
  });

  test('a run whose status was not written is known from its Job', () => {
    const plan = planCronJob(cronJobOf(), [runOf('10:10:00')], at('10:10:05'));
    expect(plan.start).toBeNull();
    expect(plan.status.lastScheduleTime).toBe(stamp('10:10:00'));
    expect(plan.status.active).toMatchObject([{ uid: 'uid-10:10:00' }]);
    expect(plan.events).toEqual([]);
  });

  test('a Job of another name is none of its runs', () => {
    const job = runOf('10:10:00');
    const foreign = { ...job, metadata: { ...(job['metadata'] as JsonObject), name: 'other' } };
    const plan = planCronJob(cronJobOf(), [foreign], at('10:10:05'));
    expect([plan.start?.scheduledMs, reasons(plan.events)]).toEqual([
      at('10:10:00'),
      ['UnexpectedJob'],
    ]);
  });

  test('a Job that claims a run of the future stops no run', () => {
    const plan = planCronJob(cronJobOf(), [runOf('20:00:00')], at('10:10:05'));
    expect(plan.start?.scheduledMs).toBe(at('10:10:00'));
  });
});

test('history limits: the oldest finished Jobs go', () => {
  const times = ['10:10:00', '10:20:00', '10:30:00', '10:40:00', '10:50:00'];
  const good = times.map((time) => runOf(time, 'Complete'));
  const bad = times.slice(0, 3).map((time) => runOf(time.replace('10:', '09:'), 'Failed'));
  const cronJob = cronJobOf({ suspend: true });
  const removed = planCronJob(cronJob, [...good, ...bad], at('11:00:00')).remove.map(nameOf);
  expect(removed).toEqual([good[0], good[1], bad[0], bad[1]].map((job) => nameOf(job ?? {})));
});

test('the Job of a run has its time in the zone of the CronJob', () => {
  const zone = timeZoneOf('America/New_York') ?? UTC_ZONE;
  const cronJob = cronJobOf({
    jobTemplate: { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } }, spec: { x: 1 } },
  });
  expect(jobOfRun(cronJob, at('10:10:00'), zone)).toEqual({
    metadata: {
      name: `tick-${at('10:10:00') / 60_000}`,
      labels: { a: 'b' },
      annotations: {
        c: 'd',
        'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-05-04T06:10:00-04:00',
      },
      ownerReferences: [
        {
          apiVersion: 'batch/v1',
          kind: 'CronJob',
          name: 'tick',
          uid: 'cron',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: { x: 1 },
  });
});
