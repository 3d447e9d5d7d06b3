/**
 * Determines which rules an update may violate because the old object already violated them.
 *
 * Validation gets stricter with every release. A pod that was accepted once must stay editable (its labels,
 * finalizers and status), so these rules accept in the new object what the old one already had.
 */
import type { JsonObject } from '../../lib/json.ts';
import {
  isGiven,
  readFlag,
  readObject,
  readObjects,
  readStruct,
  readText,
} from '../validation/json-reading.ts';
import { validateLabelSelector } from '../validation/labels.ts';
import { validateFilePath } from '../validation/paths.ts';
import { allContainers } from './container-lists.ts';
import { hasBadNodeAffinityValues } from './scheduling/node-affinity.ts';
import { podAffinityTermsOf, validateTermSelectors } from './scheduling/pod-affinity.ts';
import { hasIndivisibleHugePages } from './containers/resources.ts';
import { hasComparisons } from './scheduling/tolerations.ts';
import { hostSysctlFault } from './security/sysctls.ts';
import { validateLabelKeys } from './scheduling/label-keys.ts';

export interface SpecOptions {
  /** True for a pod, false for a template: some fields are required only in a pod. */
  readonly isPod: boolean;
  readonly allowsIndivisibleHugePages: boolean;
  readonly allowsBadAffinityValues: boolean;
  readonly allowsBadNodeAffinityValues: boolean;
  readonly allowsBadSpreadSelector: boolean;
  readonly allowsBadSpreadKeys: boolean;
  readonly allowsAnyTokenPath: boolean;
  readonly allowsHostSysctls: boolean;
  readonly allowsDevicesInUserNamespace: boolean;
  readonly allowsRestartOnInitResize: boolean;
  readonly allowsMountOption: boolean;
  readonly allowsComparisons: boolean;
  readonly allowsHostNetworkWithOwnUsers: boolean;
}

export const STRICT: SpecOptions = {
  isPod: true,
  allowsIndivisibleHugePages: false,
  allowsBadAffinityValues: false,
  allowsBadNodeAffinityValues: false,
  allowsBadSpreadSelector: false,
  allowsBadSpreadKeys: false,
  allowsAnyTokenPath: false,
  allowsHostSysctls: false,
  allowsDevicesInUserNamespace: false,
  allowsRestartOnInitResize: false,
  allowsMountOption: false,
  allowsComparisons: false,
  allowsHostNetworkWithOwnUsers: false,
};

/** The options for an update of `old`. */
export function optionsAfter(old: JsonObject): SpecOptions {
  return {
    isPod: true,
    allowsIndivisibleHugePages: hasIndivisibleHugePages(old),
    allowsBadAffinityValues: podAffinityTermsOf(old).some((term) =>
      isFaulty(validateTermSelectors(term, '', false)),
    ),
    allowsBadNodeAffinityValues: hasBadNodeAffinityValues(old),
    allowsBadSpreadSelector: spreads(old).some((spread) =>
      isFaulty(validateLabelSelector(spread['labelSelector'], '')),
    ),
    allowsBadSpreadKeys: spreads(old).some((spread) => isFaulty(validateLabelKeys(spread, ''))),
    allowsAnyTokenPath: tokenPathsOf(old).some((path) => isFaulty(validateFilePath(path, ''))),
    allowsHostSysctls: readObjects(readStruct(old['securityContext'])['sysctls']).some(
      ({ name }) => hostSysctlFault(readText(name), old) !== undefined,
    ),
    allowsDevicesInUserNamespace:
      old['hostUsers'] === false &&
      allContainers(old).some(
        ({ container }) => readObjects(container['volumeDevices']).length > 0,
      ),
    allowsMountOption: isGiven(readStruct(old['securityContext'])['seLinuxChangePolicy']),
    allowsComparisons: hasComparisons(old['tolerations']),
    allowsHostNetworkWithOwnUsers: hasOwnUsers(old) && usesHostNetwork(old),
    allowsRestartOnInitResize: readObjects(old['initContainers']).some(
      ({ restartPolicy, resizePolicy }) =>
        restartPolicy !== 'Always' &&
        readObjects(resizePolicy).some((policy) => policy['restartPolicy'] === 'RestartContainer'),
    ),
  };
}

function isFaulty(problems: Iterable<unknown>): boolean {
  for (const _ of problems) return true;
  return false;
}

function spreads(spec: JsonObject): readonly JsonObject[] {
  return readObjects(spec['topologySpreadConstraints']);
}

function tokenPathsOf(spec: JsonObject): readonly string[] {
  return readObjects(spec['volumes'])
    .flatMap((volume) => readObjects(readStruct(volume['projected'])['sources']))
    .map((source) => readObject(source['serviceAccountToken']))
    .flatMap((token) => (token ? [readText(token['path'])] : []));
}

/** Whether the pod has its own user namespace. */
export function hasOwnUsers(spec: JsonObject): boolean {
  return spec['hostUsers'] === false;
}

export function usesHostNetwork(spec: JsonObject): boolean {
  return readFlag(spec['hostNetwork']);
}
