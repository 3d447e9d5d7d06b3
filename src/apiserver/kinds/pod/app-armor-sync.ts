/** Copies AppArmor profiles from the deprecated annotations to their fields. */
import { jsonEqual } from '../../../api/values/json-equal.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { validateAppArmor } from '../../../api/pod-validation/security/security-profiles.ts';
import { changeObject, changeObjects, withField } from '../../../api/validation/json-changes.ts';
import {
  isGiven,
  readObject,
  readStruct,
  readText,
  readTextMap,
} from '../../../api/validation/json-reading.ts';
import { APP_ARMOR_PREFIX } from '../../../api/pod-validation/annotations.ts';

const LOCALHOST_PREFIX = 'localhost/';

export function syncAppArmor(pod: JsonObject): JsonObject {
  const annotations = readTextMap(readStruct(pod['metadata'])['annotations']);
  if (![...annotations.keys()].some((key) => key.startsWith(APP_ARMOR_PREFIX))) return pod;
  return changeObject(pod, 'spec', (spec) => {
    if (readStruct(spec['os'])['name'] === 'windows') return spec;
    const ofPod = readObject(readStruct(spec['securityContext'])['appArmorProfile']);
    const sync = (container: JsonObject): JsonObject => {
      const given = annotations.get(`${APP_ARMOR_PREFIX}${readText(container['name'])}`);
      return given === undefined ? container : withProfile(container, profileFor(given), ofPod);
    };
    const lists = ['initContainers', 'containers', 'ephemeralContainers'];
    return lists.reduce((next, list) => changeObjects(next, list, sync), spec);
  });
}

/** Does not write a profile that the pod or the container already has. */
function withProfile(
  container: JsonObject,
  profile: JsonObject | undefined,
  ofPod: JsonObject | undefined,
): JsonObject {
  const context = readStruct(container['securityContext']);
  if (!profile || isGiven(context['appArmorProfile'])) return container;
  if (ofPod && jsonEqual(profile, ofPod)) return container;
  return withField(container, 'securityContext', { ...context, appArmorProfile: profile });
}

function profileFor(annotation: string): JsonObject | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  if (!annotation.startsWith(LOCALHOST_PREFIX)) return undefined;
  const localhostProfile = annotation.slice(LOCALHOST_PREFIX.length);
  const profile = { type: 'Localhost', localhostProfile };
  return [...validateAppArmor(profile, '')].length === 0 ? profile : undefined;
}
