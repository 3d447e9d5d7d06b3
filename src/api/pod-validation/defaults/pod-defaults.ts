/**
 * Applies defaults to a pod, and synchronizes fields that the API stores twice.
 *
 * A pod gets more defaults than a template: the API leaves templates as they were written, but shows in a pod
 * every value that applies. Defaulting is idempotent.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { defaultPodSpec } from './pod-spec-defaults.ts';
import {
  defaultRequestsToLimits,
  defaultRequirements,
  defaultResourceList,
} from './resource-defaults.ts';
import {
  changeObject,
  changeObjects,
  fillAbsent,
  fillEmpty,
  withField,
} from '../../validation/json-changes.ts';
import { readFlag, readNumber, readObjects, readText } from '../../validation/json-reading.ts';
import { defaultPodLevelResources } from './pod-level-resources.ts';

const STATUS_LISTS = [
  'initContainerStatuses',
  'containerStatuses',
  'ephemeralContainerStatuses',
] as const;

/** `old` already has its defaults: a spec or status that is the very same object in both is skipped. */
export function defaultPod(pod: JsonObject, old: JsonObject = {}): JsonObject {
  const specified = changeObject(fillAbsent(pod, { spec: {} }), 'spec', (spec) =>
    spec === old['spec'] ? spec : defaultPodSpec(defaultPodOnlySpec(spec)),
  );
  return changeObject(specified, 'status', (status) =>
    status === old['status'] ? status : defaultStatus(status),
  );
}

function defaultPodOnlySpec(spec: JsonObject): JsonObject {
  let next = changeObjects(spec, 'containers', defaultRequestsToLimits);
  next = changeObjects(next, 'initContainers', defaultRequestsToLimits);
  next = defaultPodLevelResources(next);
  next = fillAbsent(next, { enableServiceLinks: true });
  // Negative grace periods were once accepted. They mean "as soon as possible".
  if (readNumber(next['terminationGracePeriodSeconds']) < 0) {
    next = withField(next, 'terminationGracePeriodSeconds', 1);
  }
  if (!readFlag(next['hostNetwork'])) return next;
  next = changeObjects(next, 'containers', exposeOnHost);
  return changeObjects(next, 'initContainers', exposeOnHost);
}

/** On the host network, a container port is the host port. */
function exposeOnHost(container: JsonObject): JsonObject {
  return changeObjects(container, 'ports', (port) => {
    const containerPort = readNumber(port['containerPort']);
    return containerPort === 0 ? port : fillEmpty(port, { hostPort: containerPort });
  });
}

function defaultStatus(status: JsonObject): JsonObject {
  let next = syncPodIps(status);
  for (const name of STATUS_LISTS) next = changeObjects(next, name, defaultContainerStatus);
  next = changeObject(next, 'allocatedResources', defaultResourceList);
  return changeObject(next, 'resources', defaultRequirements);
}

function defaultContainerStatus(status: JsonObject): JsonObject {
  const allocated = changeObject(status, 'allocatedResources', defaultResourceList);
  return changeObject(allocated, 'resources', defaultRequirements);
}

/** `podIP` equals the first of `podIPs`. If the two disagree, `podIP` wins. */
function syncPodIps(status: JsonObject): JsonObject {
  const ip = readText(status['podIP']);
  const [first] = readObjects(status['podIPs']);
  if (ip !== '' && first?.['ip'] !== ip) return withField(status, 'podIPs', [{ ip }]);
  const known = readText(first?.['ip']);
  return ip === '' && known !== '' ? withField(status, 'podIP', known) : status;
}
