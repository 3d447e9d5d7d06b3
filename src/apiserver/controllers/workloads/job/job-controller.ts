/**
 * Job controller: creates pods until enough have succeeded (job-plan.ts), and deletes finished Jobs after
 * `ttlSecondsAfterFinished`.
 *
 * The controller writes the status first, and acts only once the stored status reflects all pods. A Job
 * adopts no pods, and the controller ignores a Job that another controller manages (`managedBy`).
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { jobs } from '../../../kinds/batch/job.ts';
import { pods } from '../../../kinds/core/pods.ts';
import { objectsAt, textAt } from '../../../objects/field-path.ts';
import { metadataOf, textOf } from '../../../objects/metadata.ts';
import { keyOf, prefixOf } from '../../../registry/registry.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import type { Controller } from '../../controller.ts';
import { isMissing, removeIfThere } from '../../deletion-request.ts';
import { isBeingDeleted, uidOf, withoutFinalizer } from '../../garbage/owner-reference.ts';
import { readKey } from '../../object-key.ts';
import { workloadConditionOf } from '../shared/condition-list.ts';
import { controllerRefOf, isOfKind } from '../shared/controller-ref.ts';
import { targetTo, updateExactly, writeStatus } from '../shared/exact-update.ts';
import type { OwnedIndex } from '../shared/owned-index.ts';
import { PodControl } from '../shared/pod-control.ts';
import { slowStart } from '../shared/slow-start.ts';
import { WorkloadDriver } from '../shared/workload-driver.ts';
import { WorkloadEvents } from '../shared/workload-events.ts';
import { isTracked, newJobPod, TRACKING } from './job-pod.ts';
import { expiryMs, isJobFinished, planJob, type JobPlan } from './job-plan.ts';

export interface JobDeps {
  readonly parts: ServerParts;
  readonly pods: OwnedIndex;
}

const OWN_NAME = 'kubernetes.io/job-controller';

export function startJobs(deps: JobDeps): Controller {
  return new JobController(deps);
}

class JobController implements Controller {
  readonly #parts: ServerParts;
  readonly #pods: OwnedIndex;
  readonly #events: WorkloadEvents;
  readonly #control: PodControl;
  readonly #driver: WorkloadDriver;
  /** Running removals of finalizers from pods whose Job no longer exists. */
  readonly #freeing = new Set<Promise<void>>();

  constructor({ parts, pods: index }: JobDeps) {
    this.#parts = parts;
    this.#pods = index;
    this.#events = new WorkloadEvents(parts, 'job-controller');
    this.#control = new PodControl(parts, this.#events);
    this.#driver = new WorkloadDriver({
      parts,
      name: 'job',
      definition: jobs,
      events: this.#events,
      owned: [index],
      sync: (job) => this.#sync(job),
      forget: (key) => this.#freePodsOf(key),
    });
    for (const { value } of parts.store.list(prefixOf(pods, '')).objects) {
      const reference = isTracked(value) ? controllerRefOf(value) : null;
      const namespace = textOf(metadataOf(value)['namespace']);
      if (!reference || !isOfKind(reference, jobs)) continue;
      this.#driver.enqueue(keyOf({ definition: jobs, namespace, name: reference.name }));
    }
  }

  async stop(): Promise<void> {
    await this.#driver.stop();
    await Promise.all(this.#freeing);
  }

  async #sync(job: JsonObject): Promise<number | null> {
    const manager = textAt(job, 'spec.managedBy');
    if (manager !== '' && manager !== OWN_NAME) return null;
    // At the first sync, pods of an earlier Job of the same name may be left.
    if (textAt(job, 'status.startTime') === '') {
      this.#freePodsOf(keyOf(targetTo(jobs, job)), uidOf(job));
    }
    const { clock } = this.#parts;
    const owned = this.#pods.ownedBy(uidOf(job));
    if (isJobFinished(job)) {
      await this.#untrack(owned.filter(isTracked));
      return this.#expire(job, clock.now());
    }
    const plan = planJob(job, owned, clock.now());
    const written = await writeStatus(this.#parts, jobs, job, plan.status);
    if (written !== job) {
      this.#report(job, written);
      return null; // the written status brings the next sync
    }
    await this.#act(job, plan);
    return plan.requeueMs;
  }

  async #act(job: JsonObject, plan: JobPlan): Promise<void> {
    await this.#untrack(plan.untrack);
    for (const pod of plan.withdraw) {
      await this.#untrack([pod]);
      await this.#control.remove(job, pod);
    }
    await Promise.all(plan.end.map((pod) => this.#control.remove(job, pod)));
    await slowStart(plan.create.length, (number) => {
      const { index = null, failures = 0 } = plan.create[number] ?? {};
      return this.#control.create(job, newJobPod(job, index, failures));
    });
  }

  async #untrack(finished: readonly JsonObject[]): Promise<void> {
    await Promise.all(finished.filter(isTracked).map((pod) => this.#free(pod)));
  }

  async #free(pod: JsonObject): Promise<void> {
    const change = (seen: JsonObject): JsonObject => withoutFinalizer(seen, TRACKING);
    try {
      await updateExactly(this.#parts, targetTo(pods, pod), pod, change);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  /** Releases pods whose Job was deleted, or recreated under the same name: no controller counts them. */
  #freePodsOf(key: string, uid = ''): void {
    const { namespace, name } = readKey(key);
    const { store, log } = this.#parts;
    for (const { value: pod } of store.list(prefixOf(pods, namespace)).objects) {
      const reference = isTracked(pod) ? controllerRefOf(pod) : null;
      if (!reference || !isOfKind(reference, jobs)) continue;
      if (reference.name !== name || reference.uid === uid) continue;
      const freeing = this.#free(pod)
        .catch((error: unknown) => {
          log.debug('Failed to remove the job-tracking finalizer from an orphaned pod; retrying', {
            error,
          });
          this.#driver.enqueueAfter(key, RETRY_MS);
        })
        .finally(() => this.#freeing.delete(freeing));
      this.#freeing.add(freeing);
    }
  }

  #report(before: JsonObject, after: JsonObject): void {
    const find = (job: JsonObject, type: string): JsonObject | undefined =>
      workloadConditionOf(objectsAt(job, 'status.conditions'), type);
    const isNow = (type: string, status: string): boolean =>
      find(after, type)?.['status'] === status && find(before, type)?.['status'] !== status;
    if (isNow('Suspended', 'True')) this.#events.normal(after, 'Suspended', 'Job suspended');
    if (isNow('Suspended', 'False')) this.#events.normal(after, 'Resumed', 'Job resumed');
    if (isNow('Complete', 'True')) this.#events.normal(after, 'Completed', 'Job completed');
    const failed = find(after, 'Failed');
    if (failed && isNow('Failed', 'True')) {
      this.#events.warning(after, textOf(failed['reason']), textOf(failed['message']));
    }
  }

  async #expire(job: JsonObject, nowMs: number): Promise<number | null> {
    const dueMs = expiryMs(job);
    if (dueMs === null || isBeingDeleted(job)) return null;
    if (dueMs > nowMs) return dueMs - nowMs;
    const options = { uid: uidOf(job), propagation: 'Foreground' as const };
    await removeIfThere(this.#parts.registry, targetTo(jobs, job), options);
    return null;
  }
}

const RETRY_MS = 1000;
