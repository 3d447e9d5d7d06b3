/**
 * Validates the pod annotations to which Kubernetes gives a meaning: some are settings from before there was
 * a field for them, one marks a mirror pod.
 */
import type { JsonObject } from '../../lib/json.ts';
import { allContainers } from './container-lists.ts';
import { validateTolerations } from './scheduling/tolerations.ts';
import { forbiddenField, invalidField, type FieldErrors } from '../validation/field-errors.ts';
import { readText, readTextMap } from '../validation/json-reading.ts';
import { validateDescendingPath } from '../validation/paths.ts';

export const MIRROR_POD = 'kubernetes.io/config.mirror';
export const APP_ARMOR_PREFIX = 'container.apparmor.security.beta.kubernetes.io/';
export const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
export const SECCOMP_CONTAINER_PREFIX = 'container.seccomp.security.alpha.kubernetes.io/';

const TOLERATIONS = 'scheduler.alpha.kubernetes.io/tolerations';
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const INT32_MAX = 2 ** 31 - 1;
const LOCALHOST_PREFIX = 'localhost/';

export interface AnnotationOptions {
  /** True: the old pod had an invalid deletion cost, so the new one may keep it. */
  readonly allowsBadDeletionCost: boolean;
}

export function* validatePodAnnotations(
  metadata: JsonObject,
  spec: JsonObject,
  path: string,
  { allowsBadDeletionCost }: AnnotationOptions,
): FieldErrors {
  const annotations = readTextMap(metadata['annotations']);
  const mirror = annotations.get(MIRROR_POD);
  if (mirror !== undefined && readText(spec['nodeName']) === '') {
    const detail = 'must set spec.nodeName if mirror pod annotation is set';
    yield invalidField(`${path}[${MIRROR_POD}]`, mirror, detail);
  }
  yield* validateOldTolerations(annotations.get(TOLERATIONS) ?? '', path);
  const cost = annotations.get(DELETION_COST);
  if (!allowsBadDeletionCost && cost !== undefined && !isInt32(cost)) {
    yield invalidField(`${path}[${DELETION_COST}]`, cost, 'must be a 32bit integer');
  }
  yield* validateSeccompAnnotations(annotations, path);
  yield* validateAppArmorAnnotations(annotations, spec, path);
}

export function hasBadDeletionCost(metadata: JsonObject): boolean {
  const cost = readTextMap(metadata['annotations']).get(DELETION_COST);
  return cost !== undefined && !isInt32(cost);
}

/** AppArmor and mirror pod annotations cannot be added, changed or removed. */
export function* validateAnnotationChanges(
  next: JsonObject,
  old: JsonObject,
  path: string,
): FieldErrors {
  const [after, before] = [readTextMap(next['annotations']), readTextMap(old['annotations'])];
  for (const [key, value] of before) {
    if (after.get(key) === value) continue;
    if (key.startsWith(APP_ARMOR_PREFIX)) {
      yield forbiddenField(`${path}[${key}]`, 'may not remove or update AppArmor annotations');
    }
    if (key === MIRROR_POD) {
      yield forbiddenField(`${path}[${key}]`, 'may not remove or update mirror pod annotation');
    }
  }
  for (const key of after.keys()) {
    if (before.has(key)) continue;
    if (key.startsWith(APP_ARMOR_PREFIX)) {
      yield forbiddenField(`${path}[${key}]`, 'may not add AppArmor annotations');
    }
    if (key === MIRROR_POD)
      yield forbiddenField(`${path}[${key}]`, 'may not add mirror pod annotation');
  }
}

function* validateOldTolerations(text: string, path: string): FieldErrors {
  if (text === '') return;
  try {
    yield* validateTolerations(JSON.parse(text), `${path}.${TOLERATIONS}`);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    yield invalidField(path, TOLERATIONS, error.message);
  }
}

function* validateSeccompAnnotations(
  annotations: ReadonlyMap<string, string>,
  path: string,
): FieldErrors {
  const ofPod = annotations.get(SECCOMP_POD);
  if (ofPod !== undefined) yield* validateSeccompName(ofPod, `${path}.${SECCOMP_POD}`);
  for (const [key, name] of annotations) {
    if (!key.startsWith(SECCOMP_CONTAINER_PREFIX)) continue;
    yield* validateSeccompName(name, `${path}.${key}`);
  }
}

function* validateSeccompName(name: string, field: string): FieldErrors {
  if (name === 'runtime/default' || name === 'docker/default' || name === 'unconfined') return;
  if (name.startsWith(LOCALHOST_PREFIX)) {
    yield* validateDescendingPath(name.slice(LOCALHOST_PREFIX.length), field);
  } else {
    yield invalidField(field, name, 'must be a valid seccomp profile');
  }
}

function* validateAppArmorAnnotations(
  annotations: ReadonlyMap<string, string>,
  spec: JsonObject,
  path: string,
): FieldErrors {
  const names = new Set(allContainers(spec).map(({ container }) => readText(container['name'])));
  for (const [key, profile] of annotations) {
    if (!key.startsWith(APP_ARMOR_PREFIX)) continue;
    const name = key.slice(APP_ARMOR_PREFIX.length);
    if (!names.has(name)) yield invalidField(`${path}[${key}]`, name, 'container not found');
    if (isAppArmorName(profile)) continue;
    const detail = `invalid AppArmor profile name: ${JSON.stringify(profile)}`;
    yield invalidField(`${path}[${key}]`, profile, detail);
  }
}

function isAppArmorName(name: string): boolean {
  return (
    name === '' ||
    name === 'runtime/default' ||
    name === 'unconfined' ||
    name.startsWith(LOCALHOST_PREFIX)
  );
}

/** The API accepts no plus sign and no leading zeros. */
function isInt32(text: string): boolean {
  const number = Number(text);
  return /^(?:0|-\d+|[1-9]\d*)$/.test(text) && number >= -INT32_MAX - 1 && number <= INT32_MAX;
}
