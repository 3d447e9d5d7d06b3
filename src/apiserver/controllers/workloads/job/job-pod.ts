/** Builds the pods of Jobs, and reads their index, failures and result. */
import { readObjects, readStruct } from '../../../../api/validation/json-reading.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { jobs } from '../../../kinds/batch/job.ts';
import { objectsAt, structAt, textAt, valueAt } from '../../../objects/field-path.ts';
import { listOf, metadataOf, nameOf, textOf, withMetadata } from '../../../objects/metadata.ts';
import { hasFinalizer, isBeingDeleted } from '../../garbage/owner-reference.ts';
import { newControllerRef } from '../shared/controller-ref.ts';
import { podFromTemplate } from '../shared/pod-control.ts';
import { createdMs, podConditionOf, timeMs } from '../shared/pod-state.ts';

/** The finalizer that keeps a pod until it is counted. */
export const TRACKING = 'batch.kubernetes.io/job-tracking';
const INDEX = 'batch.kubernetes.io/job-completion-index';
const INDEX_FAILURES = 'batch.kubernetes.io/job-index-failure-count';
/** The environment variable with the completion index. */
const INDEX_ENV = { name: 'JOB_COMPLETION_INDEX' };

export function isIndexed(job: JsonObject): boolean {
  return textAt(job, 'spec.completionMode') === 'Indexed';
}

/** -1: the pod has no index. */
export function indexOf(pod: JsonObject): number {
  const text = textOf(readStruct(metadataOf(pod)['annotations'])[INDEX]);
  return /^[0-9]{1,9}$/.test(text) ? Number(text) : -1;
}

/** How often the pod's index had failed before this pod. */
export function indexFailuresOf(pod: JsonObject): number {
  const text = textOf(readStruct(metadataOf(pod)['annotations'])[INDEX_FAILURES]);
  return /^[0-9]{1,9}$/.test(text) ? Number(text) : 0;
}

export function isTracked(pod: JsonObject): boolean {
  return hasFinalizer(pod, TRACKING);
}

/** Whether a pod counts as failed only when it has terminated, not when its deletion begins. */
export function replacesFailedOnly(job: JsonObject): boolean {
  const policy = textAt(job, 'spec.podReplacementPolicy');
  return policy === 'Failed' || Object.keys(structAt(job, 'spec.podFailurePolicy')).length > 0;
}

export function isJobPodFailed(job: JsonObject, pod: JsonObject): boolean {
  const phase = textAt(pod, 'status.phase');
  if (phase === 'Failed') return true;
  return !replacesFailedOnly(job) && isBeingDeleted(pod) && phase !== 'Succeeded';
}

export function isJobPodSucceeded(pod: JsonObject): boolean {
  return textAt(pod, 'status.phase') === 'Succeeded';
}

/**
 * When the last container terminated; otherwise when the pod became unready, its deletion began, or it was
 * created.
 */
export function finishedMs(pod: JsonObject): number {
  const statuses = objectsAt(pod, 'status.containerStatuses');
  const times = statuses.map((one) => timeMs(textAt(one, 'state.terminated.finishedAt')));
  const ready = podConditionOf(pod, 'Ready');
  return (
    Math.max(0, ...times) ||
    timeMs(textOf(ready?.['lastTransitionTime'])) ||
    timeMs(textAt(pod, 'metadata.deletionTimestamp')) ||
    createdMs(pod)
  );
}

/** `index` null: the Job is not indexed. */
export function newJobPod(job: JsonObject, index: number | null, failures: number): JsonObject {
  const template = structAt(job, 'spec.template');
  const pod = podFromTemplate(template, job, newControllerRef(jobs, job));
  const finalizers = [...listOf(metadataOf(pod)['finalizers']), TRACKING];
  if (index === null) return withMetadata(pod, { finalizers });
  const perIndex = typeof valueAt(job, 'spec.backoffLimitPerIndex') === 'number';
  const spec = structAt(pod, 'spec');
  const named = withMetadata(pod, {
    finalizers,
    generateName: `${nameOf(job)}-${index}-`,
    labels: { ...readStruct(metadataOf(pod)['labels']), [INDEX]: String(index) },
    annotations: {
      ...readStruct(metadataOf(pod)['annotations']),
      [INDEX]: String(index),
      ...(perIndex && { [INDEX_FAILURES]: String(failures) }),
    },
  });
  return {
    ...named,
    spec: {
      ...spec,
      hostname: `${nameOf(job)}-${index}`,
      containers: readObjects(spec['containers']).map(withIndexVariable),
      ...(spec['initContainers'] !== undefined && {
        initContainers: readObjects(spec['initContainers']).map(withIndexVariable),
      }),
    },
  };
}

function withIndexVariable(container: JsonObject): JsonObject {
  const env = readObjects(container['env']);
  if (env.some(({ name }) => name === INDEX_ENV.name)) return container;
  const fieldRef = { fieldPath: `metadata.labels['${INDEX}']` };
  return { ...container, env: [...env, { ...INDEX_ENV, valueFrom: { fieldRef } }] };
}
