/** Whether a pod may be created, and whether it may be what an old one becomes. */
import { deadlineFaults } from './deadline.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { FieldError } from '../../field-error.ts';
import { validateImageSpaces } from '../pod-template/containers.ts';
import { validatePodSpec } from '../pod-template/pod-spec.ts';
import { optionsAfter, STRICT, type SpecOptions } from '../pod-template/spec-options.ts';
import { forbidden, invalid, required, type Complaints } from '../validation/complaint.ts';
import { isGiven, readObjects, readStruct, readText } from '../validation/json-reading.ts';
import {
  hasBadDeletionCost,
  validateAnnotationChanges,
  validatePodAnnotations,
} from './annotations.ts';
import { validateAppArmorAgreement, validateSeccompAgreement } from './profile-agreement.ts';
import { validateSpecChange } from './spec-change.ts';
import { validateAddedTolerations, validateRemovedGates } from './spec-additions.ts';

const ANNOTATIONS = 'metadata.annotations';

export function validatePod(pod: JsonObject): readonly FieldError[] {
  return [...checkNewPod(pod)];
}

export function validatePodUpdate(pod: JsonObject, old: JsonObject): readonly FieldError[] {
  return [...checkUpdate(pod, old)];
}

/** What holds for every pod at any time. */
export function* checkPod(pod: JsonObject, old?: JsonObject): Complaints {
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

/** What holds for the annotations of a pod that was there before. */
export function* checkAnnotationUpdate(pod: JsonObject, old: JsonObject): Complaints {
  const [metadata, before] = [readStruct(pod['metadata']), readStruct(old['metadata'])];
  yield* validateAnnotationChanges(metadata, before, ANNOTATIONS);
  const spec = readStruct(pod['spec']);
  yield* validatePodAnnotations(metadata, spec, ANNOTATIONS, annotationOptions(old));
}

function* checkNewPod(pod: JsonObject): Complaints {
  yield* checkPod(pod);
  const [metadata, spec] = [readStruct(pod['metadata']), readStruct(pod['spec'])];
  if (readObjects(spec['ephemeralContainers']).length > 0) {
    yield forbidden('spec.ephemeralContainers', 'cannot be set on create');
  }
  if (readText(spec['nodeName']) !== '' && readObjects(spec['schedulingGates']).length > 0) {
    yield forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared');
  }
  yield* validateSeccompAgreement(metadata, spec);
  yield* validateAppArmorAgreement(metadata, spec);
}

function* checkUpdate(pod: JsonObject, old: JsonObject): Complaints {
  yield* checkPod(pod, old);
  yield* checkAnnotationUpdate(pod, old);
  const [spec, before] = [readStruct(pod['spec']), readStruct(old['spec'])];
  for (const list of ['containers', 'initContainers'] as const) {
    const [containers, count] = [readObjects(spec[list]), readObjects(before[list]).length];
    if (containers.length !== count) {
      yield forbidden(`spec.${list}`, 'pod updates may not add or remove containers');
      return;
    }
    yield* checkImages(containers, `spec.${list}`);
  }
  const deadline = deadlineFaults(spec, before);
  yield* deadline.complaints;
  if (deadline.isFinal) return;
  yield* validateAddedTolerations(spec, before, 'spec.tolerations');
  yield* validateRemovedGates(spec, before, 'spec.schedulingGates');
  yield* validateSpecChange(spec, before);
}

function* checkImages(containers: readonly JsonObject[], path: string): Complaints {
  for (const [index, container] of containers.entries()) {
    const image = readText(container['image']);
    if (image === '') yield required(`${path}[${index}].image`);
    if (image.trim() === image) continue;
    yield invalid(`${path}[${index}].image`, image, 'must not have leading or trailing whitespace');
  }
}

/** A token is for an account. */
function* checkNoTokens(spec: JsonObject): Complaints {
  for (const [index, volume] of readObjects(spec['volumes']).entries()) {
    const sources = readObjects(readStruct(volume['projected'])['sources']);
    for (const [at, source] of sources.entries()) {
      if (!isGiven(source['serviceAccountToken'])) continue;
      const field = `spec.volumes[${index}].projected.sources[${at}].serviceAccountToken`;
      yield forbidden(field, 'must not be specified when serviceAccountName is not set');
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
