/**
 * What users may leave out of a pod, and the fields that say the same thing twice.
 *
 * A pod gets more defaults than a template for pods: the API keeps templates as they were written,
 * but a pod is what runs, and shows every decision. Applying the defaults twice changes nothing.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { defaultPodSpec } from '../pod-template/pod-spec-defaults.ts';
import {
  defaultRequestsToLimits,
  defaultRequirements,
  defaultResourceList,
} from '../pod-template/resource-defaults.ts';
import {
  changeObject,
  changeObjects,
  fillAbsent,
  fillEmpty,
  withField,
} from '../validation/json-changes.ts';
import { readFlag, readNumber, readObjects, readText } from '../validation/json-reading.ts';
import { defaultPodLevelResources } from './pod-level-resources.ts';

const STATUS_LISTS = [
  'initContainerStatuses',
  'containerStatuses',
  'ephemeralContainerStatuses',
] as const;

/** `old` has its defaults: a spec or a status that is the very same has them, too. */
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
  // Once a negative grace was accepted. It could mean nothing but "as soon as possible".
  if (readNumber(next['terminationGracePeriodSeconds']) < 0) {
    next = withField(next, 'terminationGracePeriodSeconds', 1);
  }
  if (!readFlag(next['hostNetwork'])) return next;
  next = changeObjects(next, 'containers', exposeOnHost);
  return changeObjects(next, 'initContainers', exposeOnHost);
}

/** On the network of the host, the port of a container is the port of the host. */
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

/** The first of the addresses is also shown alone. If the two disagree, the single one is right. */
function syncPodIps(status: JsonObject): JsonObject {
  const ip = readText(status['podIP']);
  const [first] = readObjects(status['podIPs']);
  if (ip !== '' && first?.['ip'] !== ip) return withField(status, 'podIPs', [{ ip }]);
  const known = readText(first?.['ip']);
  return ip === '' && known !== '' ? withField(status, 'podIP', known) : status;
}
