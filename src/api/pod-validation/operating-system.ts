/**
 * Validates `spec.os`: a pod that names its operating system must not set fields that exist only on the other
 * one (Linux or Windows).
 */
import type { JsonObject } from '../../lib/json.ts';
import {
  forbiddenField,
  required,
  unsupported,
  type FieldErrors,
} from '../validation/field-errors.ts';
import { isGiven, readList, readObject, readStruct, readText } from '../validation/json-reading.ts';
import { allContainers } from './container-lists.ts';

const SYSTEMS = ['linux', 'windows'];

/** Each with the struct that holds it, in the order in which the API reports them. */
const NOT_FOR_WINDOWS_PODS: readonly (readonly [
  fieldPath: 'spec' | 'securityContext',
  name: string,
])[] = [
  ['securityContext', 'appArmorProfile'],
  ['securityContext', 'seLinuxOptions'],
  ['spec', 'hostUsers'],
  ['spec', 'hostPID'],
  ['spec', 'hostIPC'],
  ['securityContext', 'seccompProfile'],
  ['securityContext', 'fsGroup'],
  ['securityContext', 'fsGroupChangePolicy'],
  ['securityContext', 'sysctls'],
  ['spec', 'shareProcessNamespace'],
  ['securityContext', 'runAsUser'],
  ['securityContext', 'runAsGroup'],
  ['securityContext', 'supplementalGroups'],
  ['securityContext', 'supplementalGroupsPolicy'],
  ['securityContext', 'seLinuxChangePolicy'],
];
const NOT_FOR_WINDOWS_CONTAINERS = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
];

export function* validateOperatingSystem(spec: JsonObject, path: string): FieldErrors {
  const os = readObject(spec['os']);
  if (!os) return;
  const name = readText(os['name']);
  if (name === '') yield required(`${path}.os.name`);
  else if (!SYSTEMS.includes(name)) yield unsupported(`${path}.os`, name, SYSTEMS);
  else if (name === 'linux') yield* validateLinux(spec, path);
  else yield* validateWindows(spec, path);
}

function* validateLinux(spec: JsonObject, path: string): FieldErrors {
  const holders = [{ container: spec, path }, ...allContainers(spec, path)];
  for (const { container, path: at } of holders) {
    if (!isGiven(readStruct(container['securityContext'])['windowsOptions'])) continue;
    const field = `${at}.securityContext.windowsOptions`;
    yield forbiddenField(field, 'windows options cannot be set for a linux pod');
  }
}

function* validateWindows(spec: JsonObject, path: string): FieldErrors {
  const detail = 'cannot be set for a windows pod';
  const ofPod = readStruct(spec['securityContext']);
  for (const [fieldPath, name] of NOT_FOR_WINDOWS_PODS) {
    const value = fieldPath === 'spec' ? spec[name] : ofPod[name];
    const isSet =
      name === 'sysctls'
        ? readList(value).length > 0
        : isGiven(value) && !(/^host(?:PID|IPC)$/.test(name) && value === false);
    if (!isSet) continue;
    yield forbiddenField(
      fieldPath === 'spec' ? `${path}.${name}` : `${path}.securityContext.${name}`,
      detail,
    );
  }
  for (const { container, path: at } of allContainers(spec, path)) {
    const own = readStruct(container['securityContext']);
    for (const name of NOT_FOR_WINDOWS_CONTAINERS) {
      if (isGiven(own[name])) yield forbiddenField(`${at}.securityContext.${name}`, detail);
    }
  }
}
