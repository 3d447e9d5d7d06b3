/** A profile may be named by an old annotation and by its field. Then both must say the same. */
import type { JsonObject } from '../../../lib/json.ts';
import { allContainers } from '../pod-template/container-lists.ts';
import { forbidden, type Complaints } from '../validation/complaint.ts';
import { readObject, readStruct, readText, readTextMap } from '../validation/json-reading.ts';
import { APP_ARMOR_PREFIX, SECCOMP_CONTAINER_PREFIX, SECCOMP_POD } from './annotations.ts';

const LOCALHOST_PREFIX = 'localhost/';

export function* validateSeccompAgreement(metadata: JsonObject, spec: JsonObject): Complaints {
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
    const said = annotations.get(key);
    if (!profile || said === undefined) continue;
    const field = `${path}.securityContext.seccompProfile`;
    yield* compare(profile, said, field, 'seccomp', ['runtime/default', 'docker/default']);
  }
}

/** A container without a profile of its own has the pod's. */
export function* validateAppArmorAgreement(metadata: JsonObject, spec: JsonObject): Complaints {
  if (readStruct(spec['os'])['name'] === 'windows') return;
  const annotations = readTextMap(metadata['annotations']);
  const ofPod = readObject(readStruct(spec['securityContext'])['appArmorProfile']);
  for (const { container, path } of allContainers(spec)) {
    const own = readObject(readStruct(container['securityContext'])['appArmorProfile']);
    const profile = own ?? ofPod;
    const said = annotations.get(`${APP_ARMOR_PREFIX}${readText(container['name'])}`);
    if (!profile || said === undefined) continue;
    const field = `${path}.securityContext.appArmorProfile`;
    yield* compare(profile, said, field, 'apparmor', ['runtime/default']);
  }
}

function* compare(
  profile: JsonObject,
  said: string,
  field: string,
  what: string,
  defaults: readonly string[],
): Complaints {
  const type = readText(profile['type']);
  const isSameType =
    type === 'Unconfined'
      ? said === 'unconfined'
      : type === 'RuntimeDefault'
        ? defaults.includes(said)
        : type !== 'Localhost' || said.startsWith(LOCALHOST_PREFIX);
  if (!isSameType) {
    yield forbidden(`${field}.type`, `${what} type in annotation and field must match`);
  } else if (type === 'Localhost') {
    const name = said.slice(LOCALHOST_PREFIX.length);
    if (profile['localhostProfile'] === name) return;
    const detail = `${what} profile in annotation and field must match`;
    yield forbidden(`${field}.localhostProfile`, detail);
  }
}
