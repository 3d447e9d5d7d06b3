/** Validates container statuses: users, and the health of devices. */
import type { JsonObject } from '../../../../lib/json.ts';
import {
  duplicate,
  forbiddenField,
  invalidField,
  invalidFor,
  required,
  tooLong,
  unsupported,
  type FieldErrors,
} from '../../../../api/validation/field-errors.ts';
import {
  isGiven,
  readEntries,
  readList,
  readNumber,
  readObject,
  readObjects,
  readStruct,
  readText,
} from '../../../../api/validation/json-reading.ts';
import { checkId } from '../../../../api/validation/names.ts';

const LISTS = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;
const HEALTH = ['Healthy', 'Unhealthy', 'Unknown'];
const HEALTH_MESSAGE_BYTES_MAX = 1024;

export function* validateContainerStatuses(status: JsonObject, spec: JsonObject): FieldErrors {
  const os = readObject(spec['os']);
  const system = os ? readText(os['name']) : 'linux';
  for (const list of LISTS) yield* checkUsers(status, list, system);
  yield* checkDevices(status, 'containerStatuses', readObjects(spec['containers']));
  yield* checkDevices(status, 'initContainerStatuses', readObjects(spec['initContainers']));
  const looking = readObjects(status['ephemeralContainerStatuses']);
  for (const [index, container] of looking.entries()) {
    if (readList(container['allocatedResourcesStatus']).length === 0) continue;
    const field = `status.ephemeralContainerStatuses[${index}].allocatedResourcesStatus`;
    yield forbiddenField(field, 'must not be specified in container status');
  }
}

function* checkUsers(status: JsonObject, list: string, system: string): FieldErrors {
  for (const [index, container] of readObjects(status[list]).entries()) {
    const user = readObject(readStruct(container['user'])['linux']);
    if (!user) continue;
    const path = `status.${list}[${index}].user.linux`;
    if (system === 'windows') yield forbiddenField(path, 'cannot be set for a windows pod');
    if (system !== 'linux') continue;
    for (const name of ['uid', 'gid']) {
      const id = readNumber(user[name]);
      yield* invalidFor(`${path}.${name}`, id, checkId(id));
    }
    for (const [at, group] of readList(user['supplementalGroups']).entries()) {
      const id = readNumber(group);
      yield* invalidFor(`${path}.supplementalGroups[${at}]`, id, checkId(id));
    }
  }
}

function* checkDevices(
  status: JsonObject,
  list: string,
  containers: readonly JsonObject[],
): FieldErrors {
  for (const [index, one] of readObjects(status[list]).entries()) {
    const name = readText(one['name']);
    const container = containers.find((each) => readText(each['name']) === name);
    for (const [at, resource] of readObjects(one['allocatedResourcesStatus']).entries()) {
      const path = `status.${list}[${index}].allocatedResourcesStatus[${at}]`;
      if (container) yield* checkResourceName(resource, container, `${path}.name`);
      yield* checkHealth(resource, `${path}.resources`);
    }
  }
}

function* checkResourceName(
  resource: JsonObject,
  container: JsonObject,
  field: string,
): FieldErrors {
  const name = readText(resource['name']);
  const { claims, requests } = readStruct(container['resources']);
  if (!name.startsWith('claim:')) {
    if (readEntries(requests).some(([key]) => key === name)) return;
    yield invalidField(field, name, "must match one of the container's resource requests");
    return;
  }
  const isClaimed = readObjects(claims).some(({ name: claim, request }) => {
    const suffix = readText(request) === '' ? '' : `/${readText(request)}`;
    return name === `claim:${readText(claim)}${suffix}`;
  });
  if (isClaimed) return;
  const detail =
    "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
  yield invalidField(field, name, detail);
}

function* checkHealth(resource: JsonObject, path: string): FieldErrors {
  const seen = new Set<string>();
  for (const [index, device] of readObjects(resource['resources']).entries()) {
    const at = `${path}[${index}]`;
    const health = readText(device['health']);
    if (!HEALTH.includes(health)) yield unsupported(`${at}.health`, health, HEALTH);
    if (isGiven(device['message'])) yield* checkMessage(readText(device['message']), at);
    const id = readText(device['resourceID']);
    if (seen.has(id)) yield duplicate(`${at}.resourceID`, id);
    seen.add(id);
  }
}

function* checkMessage(message: string, path: string): FieldErrors {
  if (message === '') yield required(`${path}.message`, 'must be non-empty if specified');
  else if (Buffer.byteLength(message) > HEALTH_MESSAGE_BYTES_MAX) {
    yield tooLong(`${path}.message`, HEALTH_MESSAGE_BYTES_MAX);
  }
}
