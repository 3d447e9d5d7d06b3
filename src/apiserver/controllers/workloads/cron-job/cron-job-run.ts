/** Builds the Job of one run of a CronJob, and finds finished Jobs beyond the history limits. */
import { readStruct } from '../../../../api/validation/json-reading.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { wallTimeOf, type TimeZone } from '../../../../api/values/time-zone.ts';
import { cronJobs } from '../../../kinds/batch/cron-job.ts';
import { objectsAt, structAt, textAt, valueAt } from '../../../objects/field-path.ts';
import { metadataOf, nameOf, textOf } from '../../../objects/metadata.ts';
import { isBeingDeleted } from '../../garbage/owner-reference.ts';
import { newControllerRef } from '../shared/controller-ref.ts';
import { timeMs } from '../shared/pod-state.ts';

export const SCHEDULED_AT = 'batch.kubernetes.io/cronjob-scheduled-timestamp';
const MINUTE_MS = 60_000;
const SECONDS_PER_MINUTE = 60;

/** Ends in the minutes since 1970, so that each run has its own name. */
export function cronJobName(cronJob: JsonObject, scheduledMs: number): string {
  return `${nameOf(cronJob)}-${Math.floor(scheduledMs / MINUTE_MS)}`;
}

export function jobOfRun(cronJob: JsonObject, scheduledMs: number, zone: TimeZone): JsonObject {
  const template = structAt(cronJob, 'spec.jobTemplate');
  const { labels, annotations } = metadataOf(template);
  return {
    metadata: {
      name: cronJobName(cronJob, scheduledMs),
      ...(labels !== undefined && { labels }),
      annotations: { ...readStruct(annotations), [SCHEDULED_AT]: timeInZone(scheduledMs, zone) },
      ownerReferences: [newControllerRef(cronJobs, cronJob)],
    },
    spec: structAt(template, 'spec'),
  };
}

/** RFC 3339, in the local time of the zone. */
export function timeInZone(ms: number, zone: TimeZone): string {
  const { year, month, day, hour, minute, second } = wallTimeOf(zone, ms);
  const two = (number: number): string => String(number).padStart(2, '0');
  const text = `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}`;
  const offset = zone.offsetSeconds(ms);
  if (offset === 0) return `${text}Z`;
  const minutes = Math.floor(Math.abs(offset) / SECONDS_PER_MINUTE);
  const sign = offset < 0 ? '-' : '+';
  return `${text}${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** `Mon, 02 Jan 2006 15:04:05 +0000` */
export function rfc1123Time(ms: number): string {
  return new Date(ms).toUTCString().replace('GMT', '+0000');
}

export function jobReference(job: JsonObject): JsonObject {
  const { namespace, name, uid, resourceVersion } = metadataOf(job);
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    name: textOf(name),
    namespace: textOf(namespace),
    resourceVersion: textOf(resourceVersion),
    uid: textOf(uid),
  };
}

/** Finished Jobs beyond the limits, the oldest first. */
export function oldJobs(cronJob: JsonObject, jobs: readonly JsonObject[]): readonly JsonObject[] {
  return [
    ...beyond(valueAt(cronJob, 'spec.successfulJobsHistoryLimit'), jobs, 'Complete'),
    ...beyond(valueAt(cronJob, 'spec.failedJobsHistoryLimit'), jobs, 'Failed'),
  ];
}

function beyond(limit: unknown, jobs: readonly JsonObject[], type: string): readonly JsonObject[] {
  if (typeof limit !== 'number') return [];
  const finished = jobs.filter(
    (job) =>
      !isBeingDeleted(job) &&
      objectsAt(job, 'status.conditions').some(
        (one) => one['type'] === type && one['status'] === 'True',
      ),
  );
  return finished.toSorted(byStartTime).slice(0, Math.max(finished.length - limit, 0));
}

/** Jobs that have not started come last. */
function byStartTime(a: JsonObject, b: JsonObject): number {
  const startMs = (job: JsonObject): number =>
    timeMs(textAt(job, 'status.startTime')) || Number.MAX_SAFE_INTEGER;
  return startMs(a) - startMs(b) || (nameOf(a) < nameOf(b) ? -1 : 1);
}
