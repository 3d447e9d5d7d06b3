/**
 * A template for pods inside another object, such as a Deployment: its defaults and its rules.
 *
 * They are those of a pod's spec. A template has no name and no node, and its pods do not exist yet,
 * so a few rules of pods wait until they do.
 */
import type { JsonObject } from '../../lib/json.ts';
import { changeStructAt, structAt } from './field-path.ts';
import { defaultPodSpec } from './pod-template/pod-spec-defaults.ts';
import { validatePodSpec } from './pod-template/pod-spec.ts';
import { optionsAfter, STRICT, type SpecOptions } from './pod-template/spec-options.ts';
import { hasBadDeletionCost, validatePodAnnotations } from './pod/annotations.ts';
import { forbidden, unsupported, type Complaints } from './validation/complaint.ts';
import { isGiven, readObjects, readText } from './validation/json-reading.ts';
import { validateAnnotations, validateLabels } from './validation/labels.ts';

export function defaultPodTemplate(template: JsonObject): JsonObject {
  return changeStructAt(template, 'spec', defaultPodSpec);
}

/** `old`: the template whose place it takes, which may break rules that were made later. */
export function* validatePodTemplate(
  template: JsonObject,
  path: string,
  old?: JsonObject,
): Complaints {
  const [metadata, spec] = [structAt(template, 'metadata'), structAt(template, 'spec')];
  const allowsBadDeletionCost = old !== undefined && hasBadDeletionCost(structAt(old, 'metadata'));
  yield* validateLabels(metadata['labels'], `${path}.labels`);
  yield* validateAnnotations(metadata['annotations'], `${path}.annotations`);
  yield* validatePodAnnotations(metadata, spec, `${path}.annotations`, { allowsBadDeletionCost });
  yield* validatePodSpec(spec, metadata, `${path}.spec`, optionsFor(old));
  if (readObjects(spec['ephemeralContainers']).length > 0) {
    const detail = 'ephemeral containers not allowed in pod template';
    yield forbidden(`${path}.spec.ephemeralContainers`, detail);
  }
}

/** Pods that are replaced when they end: they must not end by themselves. */
export function* validateEndless(template: JsonObject, path: string, owner: string): Complaints {
  const spec = structAt(template, 'spec');
  const policy = readText(spec['restartPolicy']);
  if (policy !== 'Always') yield unsupported(`${path}.spec.restartPolicy`, policy, ['Always']);
  if (isGiven(spec['activeDeadlineSeconds'])) {
    const detail = `activeDeadlineSeconds in ${owner} is not Supported`;
    yield forbidden(`${path}.spec.activeDeadlineSeconds`, detail);
  }
}

function optionsFor(old: JsonObject | undefined): SpecOptions {
  return { ...(old ? optionsAfter(structAt(old, 'spec')) : STRICT), isPod: false };
}
