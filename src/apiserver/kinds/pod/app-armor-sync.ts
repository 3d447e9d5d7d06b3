/** An AppArmor profile that was named by the old annotation becomes the field it is today. */
import { jsonEqual } from '../../../api/json-equal.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { validateAppArmor } from '../pod-template/security-profiles.ts';
import { changeObject, changeObjects, withField } from '../validation/json-changes.ts';
import {
  isGiven,
  readObject,
  readStruct,
  readText,
  readTextMap,
} from '../validation/json-reading.ts';
import { APP_ARMOR_PREFIX } from './annotations.ts';

const LOCALHOST_PREFIX = 'localhost/';

export function syncAppArmor(pod: JsonObject): JsonObject {
  const annotations = readTextMap(readStruct(pod['metadata'])['annotations']);
  if (![...annotations.keys()].some((key) => key.startsWith(APP_ARMOR_PREFIX))) return pod;
  return changeObject(pod, 'spec', (spec) => {
    if (readStruct(spec['os'])['name'] === 'windows') return spec;
    const ofPod = readObject(readStruct(spec['securityContext'])['appArmorProfile']);
    const sync = (container: JsonObject): JsonObject => {
      const said = annotations.get(`${APP_ARMOR_PREFIX}${readText(container['name'])}`);
      return said === undefined ? container : withProfile(container, profileFor(said), ofPod);
    };
    const lists = ['initContainers', 'containers', 'ephemeralContainers'];
    return lists.reduce((next, list) => changeObjects(next, list, sync), spec);
  });
}

/** A profile that is the pod's anyway, or that the container has already, is not written again. */
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
