/** Applies the defaults that a pod's spec has both in a pod and in a template. */
import type { JsonObject } from '../../../lib/json.ts';
import {
  changeObject,
  changeObjects,
  fillAbsent,
  fillEmpty,
} from '../../validation/json-changes.ts';
import { readText } from '../../validation/json-reading.ts';
import { defaultContainer } from './container-defaults.ts';
import { defaultRequirements, defaultResourceList } from './resource-defaults.ts';
import { defaultVolume } from './volume-defaults.ts';

const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

export function defaultPodSpec(spec: JsonObject): JsonObject {
  let next = fillEmpty(spec, {
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    schedulerName: 'default-scheduler',
  });
  next = fillAbsent(next, { securityContext: {}, terminationGracePeriodSeconds: 30 });
  next = syncServiceAccount(next);
  next = changeObjects(next, 'volumes', defaultVolume);
  for (const name of CONTAINER_LISTS) next = changeObjects(next, name, defaultContainer);
  next = changeObject(next, 'overhead', defaultResourceList);
  return changeObject(next, 'resources', defaultRequirements);
}

/**
 * Both `serviceAccountName` and the deprecated `serviceAccount` are always printed; the former takes
 * precedence.
 */
function syncServiceAccount(spec: JsonObject): JsonObject {
  const name = readText(spec['serviceAccountName']) || readText(spec['serviceAccount']);
  if (name === '') return spec;
  const isSynced = spec['serviceAccountName'] === name && spec['serviceAccount'] === name;
  return isSynced ? spec : { ...spec, serviceAccountName: name, serviceAccount: name };
}
