/**
 * Validates a new pod, and an update of a pod. Callers of this folder use this file, after
 * defaults/pod-defaults.ts:
 *
 *     pod ──defaultPod──> full pod ──validatePod──> field errors; none: it is valid
 *
 * The rules, their order and their messages are kube-apiserver's. The embedded API server applies them to
 * requests and podkeep's kubelet to static pod manifests, so both refuse the same pods. Rules of subresources
 * (status, resize, ephemeralcontainers) belong to the API server: apiserver/kinds/pod/.
 */
import { deadlineFaults } from './update/deadline.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { FieldError } from '../validation/field-error.ts';
import { validateImageSpaces } from './containers/containers.ts';
import { validatePodSpec } from './pod-spec.ts';
import { optionsAfter, STRICT, type SpecOptions } from './spec-options.ts';
import {
  forbiddenField,
  invalidField,
  required,
  type FieldErrors,
} from '../validation/field-errors.ts';
import { isGiven, readObjects, readStruct, readText } from '../validation/json-reading.ts';
import {
  hasBadDeletionCost,
  validateAnnotationChanges,
  validatePodAnnotations,
} from './annotations.ts';
import { validateAppArmorAgreement, validateSeccompAgreement } from './profile-agreement.ts';
import { validateSpecChange } from './update/spec-change.ts';
import { validateAddedTolerations, validateRemovedGates } from './update/spec-additions.ts';

const ANNOTATIONS = 'metadata.annotations';

export function validatePod(pod: JsonObject): readonly FieldError[] {
  return [...checkNewPod(pod)];
}

export function validatePodUpdate(pod: JsonObject, old: JsonObject): readonly FieldError[] {
  return [...checkUpdate(pod, old)];
}

/** The rules that hold for every pod, on create and on update. */
export function* checkPod(pod: JsonObject, old?: JsonObject): FieldErrors {
  const [metadata, spec] = [readStruct(pod['metadata']), readStruct(pod['spec'])];
  yield* validatePodAnnotations(metadata, spec, ANNOTATIONS, annotationOptions(old));
  yield* validatePodSpec(spec, metadata, 'spec', specOptions(old));
  if (readText(spec['serviceAccountName']) === '') yield* checkNoTokens(spec);
  for (const list of ['containers', 'initContainers'] as const) {
    for (const [index, container] of readObjects(spec[list]).entries()) {
      yield* validateImageSpaces(container, `spec.${list}[${index}]`);
    }
  }
}

/** Rules for the annotations of an existing pod. */
export function* checkAnnotationUpdate(pod: JsonObject, old: JsonObject): FieldErrors {
  const [metadata, before] = [readStruct(pod['metadata']), readStruct(old['metadata'])];
  yield* validateAnnotationChanges(metadata, before, ANNOTATIONS);
  const spec = readStruct(pod['spec']);
  yield* validatePodAnnotations(metadata, spec, ANNOTATIONS, annotationOptions(old));
}

function* checkNewPod(pod: JsonObject): FieldErrors {
  yield* checkPod(pod);
  const [metadata, spec] = [readStruct(pod['metadata']), readStruct(pod['spec'])];
  if (readObjects(spec['ephemeralContainers']).length > 0) {
    yield forbiddenField('spec.ephemeralContainers', 'cannot be set on create');
  }
  if (readText(spec['nodeName']) !== '' && readObjects(spec['schedulingGates']).length > 0) {
    yield forbiddenField(
      'spec.nodeName',
      'cannot be set until all schedulingGates have been cleared',
    );
  }
  yield* validateSeccompAgreement(metadata, spec);
  yield* validateAppArmorAgreement(metadata, spec);
}

function* checkUpdate(pod: JsonObject, old: JsonObject): FieldErrors {
  yield* checkPod(pod, old);
  yield* checkAnnotationUpdate(pod, old);
  const [spec, before] = [readStruct(pod['spec']), readStruct(old['spec'])];
  for (const list of ['containers', 'initContainers'] as const) {
    const [containers, count] = [readObjects(spec[list]), readObjects(before[list]).length];
    if (containers.length !== count) {
      yield forbiddenField(`spec.${list}`, 'pod updates may not add or remove containers');
      return;
    }
    yield* checkImages(containers, `spec.${list}`);
  }
  const deadline = deadlineFaults(spec, before);
  yield* deadline.problems;
  if (deadline.isFinal) return;
  yield* validateAddedTolerations(spec, before, 'spec.tolerations');
  yield* validateRemovedGates(spec, before, 'spec.schedulingGates');
  yield* validateSpecChange(spec, before);
}

function* checkImages(containers: readonly JsonObject[], path: string): FieldErrors {
  for (const [index, container] of containers.entries()) {
    const image = readText(container['image']);
    if (image === '') yield required(`${path}[${index}].image`);
    if (image.trim() === image) continue;
    yield invalidField(
      `${path}[${index}].image`,
      image,
      'must not have leading or trailing whitespace',
    );
  }
}

/** For a pod without a service account: a projected token needs one. */
function* checkNoTokens(spec: JsonObject): FieldErrors {
  for (const [index, volume] of readObjects(spec['volumes']).entries()) {
    const sources = readObjects(readStruct(volume['projected'])['sources']);
    for (const [at, source] of sources.entries()) {
      if (!isGiven(source['serviceAccountToken'])) continue;
      const field = `spec.volumes[${index}].projected.sources[${at}].serviceAccountToken`;
      yield forbiddenField(field, 'must not be specified when serviceAccountName is not set');
    }
  }
}

function specOptions(old: JsonObject | undefined): SpecOptions {
  return old ? optionsAfter(readStruct(old['spec'])) : STRICT;
}

function annotationOptions(old: JsonObject | undefined) {
  return {
    allowsBadDeletionCost: old !== undefined && hasBadDeletionCost(readStruct(old['metadata'])),
  };
}
