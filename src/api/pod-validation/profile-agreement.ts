/**
 * Checks that a seccomp or AppArmor profile that is set both by the deprecated annotation and by the field is
 * the same in both.
 */
import type { JsonObject } from '../../lib/json.ts';
import { allContainers } from './container-lists.ts';
import { forbiddenField, type FieldErrors } from '../validation/field-errors.ts';
import { readObject, readStruct, readText, readTextMap } from '../validation/json-reading.ts';
import { APP_ARMOR_PREFIX, SECCOMP_CONTAINER_PREFIX, SECCOMP_POD } from './annotations.ts';

const LOCALHOST_PREFIX = 'localhost/';

export function* validateSeccompAgreement(metadata: JsonObject, spec: JsonObject): FieldErrors {
  const annotations = readTextMap(metadata['annotations']);
  const holders = allContainers(spec).map(({ container, path }) => ({
    holder: container,
    path,
    key: `${SECCOMP_CONTAINER_PREFIX}${readText(container['name'])}`,
  }));
  for (const { holder, path, key } of [
    { holder: spec, path: 'spec', key: SECCOMP_POD },
    ...holders,
  ]) {
    const profile = readObject(readStruct(holder['securityContext'])['seccompProfile']);
    const given = annotations.get(key);
    if (!profile || given === undefined) continue;
    const field = `${path}.securityContext.seccompProfile`;
    yield* compare(profile, given, field, 'seccomp', ['runtime/default', 'docker/default']);
  }
}

/** A container without its own profile uses the pod's. */
export function* validateAppArmorAgreement(metadata: JsonObject, spec: JsonObject): FieldErrors {
  if (readStruct(spec['os'])['name'] === 'windows') return;
  const annotations = readTextMap(metadata['annotations']);
  const ofPod = readObject(readStruct(spec['securityContext'])['appArmorProfile']);
  for (const { container, path } of allContainers(spec)) {
    const own = readObject(readStruct(container['securityContext'])['appArmorProfile']);
    const profile = own ?? ofPod;
    const given = annotations.get(`${APP_ARMOR_PREFIX}${readText(container['name'])}`);
    if (!profile || given === undefined) continue;
    const field = `${path}.securityContext.appArmorProfile`;
    yield* compare(profile, given, field, 'apparmor', ['runtime/default']);
  }
}

function* compare(
  profile: JsonObject,
  given: string,
  field: string,
  what: string,
  defaults: readonly string[],
): FieldErrors {
  const type = readText(profile['type']);
  const isSameType =
    type === 'Unconfined'
      ? given === 'unconfined'
      : type === 'RuntimeDefault'
        ? defaults.includes(given)
        : type !== 'Localhost' || given.startsWith(LOCALHOST_PREFIX);
  if (!isSameType) {
    yield forbiddenField(`${field}.type`, `${what} type in annotation and field must match`);
  } else if (type === 'Localhost') {
    const name = given.slice(LOCALHOST_PREFIX.length);
    if (profile['localhostProfile'] === name) return;
    const detail = `${what} profile in annotation and field must match`;
    yield forbiddenField(`${field}.localhostProfile`, detail);
  }
}
