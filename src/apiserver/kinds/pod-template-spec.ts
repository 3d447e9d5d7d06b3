/**
 * Defaults and validates a pod template inside another object, such as a Deployment.
 *
 * The rules are those of a pod's spec. A template has no name and no node, so a few rules apply only to its
 * pods.
 */
import type { JsonObject } from '../../lib/json.ts';
import { changeStructAt, structAt } from '../objects/field-path.ts';
import { defaultPodSpec } from '../../api/pod-validation/defaults/pod-spec-defaults.ts';
import { validatePodSpec } from '../../api/pod-validation/pod-spec.ts';
import { optionsAfter, STRICT, type SpecOptions } from '../../api/pod-validation/spec-options.ts';
import {
  hasBadDeletionCost,
  validatePodAnnotations,
} from '../../api/pod-validation/annotations.ts';
import {
  forbiddenField,
  unsupported,
  type FieldErrors,
} from '../../api/validation/field-errors.ts';
import { isGiven, readObjects, readText } from '../../api/validation/json-reading.ts';
import { validateAnnotations, validateLabels } from '../../api/validation/labels.ts';

export function defaultPodTemplate(template: JsonObject): JsonObject {
  return changeStructAt(template, 'spec', defaultPodSpec);
}

/** `old`: the template that it replaces, which may violate rules that were added later. */
export function* validatePodTemplate(
  template: JsonObject,
  path: string,
  old?: JsonObject,
): FieldErrors {
  const [metadata, spec] = [structAt(template, 'metadata'), structAt(template, 'spec')];
  const allowsBadDeletionCost = old !== undefined && hasBadDeletionCost(structAt(old, 'metadata'));
  yield* validateLabels(metadata['labels'], `${path}.labels`);
  yield* validateAnnotations(metadata['annotations'], `${path}.annotations`);
  yield* validatePodAnnotations(metadata, spec, `${path}.annotations`, { allowsBadDeletionCost });
  yield* validatePodSpec(spec, metadata, `${path}.spec`, optionsFor(old));
  if (readObjects(spec['ephemeralContainers']).length > 0) {
    const detail = 'ephemeral containers not allowed in pod template';
    yield forbiddenField(`${path}.spec.ephemeralContainers`, detail);
  }
}

/** For pods that run without end: restartPolicy must be Always, and activeDeadlineSeconds unset. */
export function* validateEndless(template: JsonObject, path: string, owner: string): FieldErrors {
  const spec = structAt(template, 'spec');
  const policy = readText(spec['restartPolicy']);
  if (policy !== 'Always') yield unsupported(`${path}.spec.restartPolicy`, policy, ['Always']);
  if (isGiven(spec['activeDeadlineSeconds'])) {
    const detail = `activeDeadlineSeconds in ${owner} is not Supported`;
    yield forbiddenField(`${path}.spec.activeDeadlineSeconds`, detail);
  }
}

function optionsFor(old: JsonObject | undefined): SpecOptions {
  return { ...(old ? optionsAfter(structAt(old, 'spec')) : STRICT), isPod: false };
}
