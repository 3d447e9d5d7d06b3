/**
 * CronJob controller: creates a Job at each time of a schedule (cron-job-plan.ts).
 *
 *     start the run that is due ──> write the status ──> delete old Jobs ──> wait for the next time
 *
 * A changed schedule applies from the change on: no run is started for a time before the change.
 */
import { formatTime } from '../../../../api/values/time.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { cronJobs } from '../../../kinds/batch/cron-job.ts';
import { jobs } from '../../../kinds/batch/job.ts';
import { textAt } from '../../../objects/field-path.ts';
import { metadataOf, nameOf, textOf } from '../../../objects/metadata.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import type { Controller } from '../../controller.ts';
import { isAlreadyThere, isNamespaceGoing, removeIfThere } from '../../deletion-request.ts';
import { uidOf } from '../../garbage/owner-reference.ts';
import { controllerRefOf } from '../shared/controller-ref.ts';
import { targetTo, writeStatus } from '../shared/exact-update.ts';
import type { OwnedIndex } from '../shared/owned-index.ts';
import { messageOf } from '../shared/pod-control.ts';
import { WorkloadDriver } from '../shared/workload-driver.ts';
import { WorkloadEvents } from '../shared/workload-events.ts';
import { planCronJob, type CronJobStart, type CronJobStatus } from './cron-job-plan.ts';
import { jobOfRun, jobReference } from './cron-job-run.ts';

export interface CronJobDeps {
  readonly parts: ServerParts;
  /** Jobs by their CronJob. */
  readonly jobs: OwnedIndex;
}

interface SeenSchedule {
  readonly text: string;
  readonly sinceMs: number;
}

/**
 * Timers do not notice when the wall clock is set, so the schedule is checked again after at most this long.
 */
const WAIT_MS_MAX = 60 * 60 * 1000;

export function startCronJobs(deps: CronJobDeps): Controller {
  return new CronJobController(deps);
}

class CronJobController implements Controller {
  readonly #parts: ServerParts;
  readonly #jobs: OwnedIndex;
  readonly #events: WorkloadEvents;
  readonly #driver: WorkloadDriver;
  readonly #seen = new Map<string, SeenSchedule>();

  constructor({ parts, jobs: index }: CronJobDeps) {
    this.#parts = parts;
    this.#jobs = index;
    this.#events = new WorkloadEvents(parts, 'cronjob-controller');
    this.#driver = new WorkloadDriver({
      parts,
      name: 'cronjob',
      definition: cronJobs,
      events: this.#events,
      owned: [index],
      sync: (cronJob, key) => this.#sync(cronJob, key),
      forget: (key) => void this.#seen.delete(key),
    });
  }

  stop(): Promise<void> {
    return this.#driver.stop();
  }

  async #sync(cronJob: JsonObject, key: string): Promise<number | null> {
    const nowMs = this.#parts.clock.now();
    const owned = this.#jobs.ownedBy(uidOf(cronJob));
    const sinceMs = this.#scheduleSince(cronJob, key, nowMs);
    const plan = planCronJob(cronJob, owned, nowMs, sinceMs);
    const status = plan.start ? await this.#start(cronJob, plan.start, plan.status) : plan.status;
    for (const event of plan.events) this.#events.record(cronJob, event);
    await writeStatus(this.#parts, cronJobs, cronJob, { ...status });
    // Deleted last: until the status is written, only the Job says when it ran.
    for (const job of plan.remove) await this.#remove(cronJob, job);
    return plan.requeueMs === null ? null : Math.min(plan.requeueMs, WAIT_MS_MAX);
  }

  /** Since when the current schedule applies. 0: since this controller started. */
  #scheduleSince(cronJob: JsonObject, key: string, nowMs: number): number {
    const text = `${textAt(cronJob, 'spec.timeZone')} ${textAt(cronJob, 'spec.schedule')}`;
    const seen = this.#seen.get(key);
    const next = seen?.text === text ? seen : { text, sinceMs: seen ? nowMs : 0 };
    this.#seen.set(key, next);
    return next.sinceMs;
  }

  async #start(
    cronJob: JsonObject,
    { scheduledMs, zone, replace }: CronJobStart,
    status: CronJobStatus,
  ): Promise<CronJobStatus> {
    const replaced = new Set(replace.map(({ uid }) => textOf(uid)));
    for (const job of this.#jobs.ownedBy(uidOf(cronJob))) {
      if (replaced.has(uidOf(job))) await this.#remove(cronJob, job);
    }
    const job = await this.#create(cronJob, jobOfRun(cronJob, scheduledMs, zone));
    const kept = status.active.filter(({ uid }) => !replaced.has(textOf(uid)));
    if (!job) return { ...status, active: kept };
    const isListed = kept.some(({ uid }) => uid === uidOf(job));
    const active = isListed ? kept : [...kept, jobReference(job)];
    return { ...status, active, lastScheduleTime: formatTime(scheduledMs) };
  }

  /** Null: the namespace is terminating, or another object has this name. */
  async #create(cronJob: JsonObject, body: JsonObject): Promise<JsonObject | null> {
    const { registry } = this.#parts;
    const namespace = textOf(metadataOf(cronJob)['namespace']);
    try {
      const job = await registry.create({ definition: jobs, namespace, body });
      this.#events.normal(cronJob, 'SuccessfulCreate', `Created job ${nameOf(job)}`);
      return job;
    } catch (error) {
      if (isNamespaceGoing(error)) return null;
      const warn = (): void =>
        this.#events.warning(cronJob, 'FailedCreate', `Error creating job: ${messageOf(error)}`);
      if (!isAlreadyThere(error)) {
        warn();
        throw error;
      }
      const found = registry.get({ definition: jobs, namespace, name: nameOf(body) });
      if (controllerRefOf(found)?.uid === uidOf(cronJob)) return found;
      warn();
      return null;
    }
  }

  async #remove(cronJob: JsonObject, job: JsonObject): Promise<void> {
    const options = { uid: uidOf(job), propagation: 'Background' as const };
    try {
      await removeIfThere(this.#parts.registry, targetTo(jobs, job), options);
      this.#events.normal(cronJob, 'SuccessfulDelete', `Deleted job ${nameOf(job)}`);
    } catch (error) {
      this.#events.warning(cronJob, 'FailedDelete', `Deleted job: ${messageOf(error)}`);
      throw error;
    }
  }
}
