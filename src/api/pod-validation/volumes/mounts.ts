/** Validates the volume mounts and volume devices of a container. */
import type { JsonObject } from '../../../lib/json.ts';
import {
  forbiddenField,
  invalidField,
  notFoundField,
  required,
  unsupported,
  type FieldErrors,
} from '../../validation/field-errors.ts';
import {
  isGiven,
  readFlag,
  readObjects,
  readStruct,
  readText,
} from '../../validation/json-reading.ts';
import { validateDescendingPath } from '../../validation/paths.ts';

/** The valid volumes of a pod, by name. */
export type Volumes = ReadonlyMap<string, JsonObject>;

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];
const RECURSIVE_READ_ONLY = ['Disabled', 'Enabled', 'IfPossible'];

export function* validateMounts(
  container: JsonObject,
  path: string,
  volumes: Volumes,
): FieldErrors {
  const devices = placesOf(container, 'volumeDevices', 'devicePath');
  const devicePaths = new Set(devices.values());
  const seen = new Set<string>();
  for (const [index, mount] of readObjects(container['volumeMounts']).entries()) {
    const at = `${path}[${index}]`;
    const [name, mountPath] = [readText(mount['name']), readText(mount['mountPath'])];
    if (name === '') yield required(`${at}.name`);
    if (!volumes.has(name)) yield notFoundField(`${at}.name`, name);
    if (mountPath === '') yield required(`${at}.mountPath`);
    if (seen.has(mountPath)) yield invalidField(`${at}.mountPath`, mountPath, 'must be unique');
    seen.add(mountPath);
    if (devices.has(name)) {
      yield invalidField(`${at}.name`, name, 'must not already exist in volumeDevices');
    }
    if (devicePaths.has(mountPath)) {
      const detail = 'must not already exist as a path in volumeDevices';
      yield invalidField(`${at}.mountPath`, mountPath, detail);
    }
    yield* validateSubPaths(mount, path, at);
    yield* validatePropagation(mount, container, `${path}.mountPropagation`);
    yield* validateRecursiveReadOnly(mount, `${path}.recursiveReadOnly`);
  }
}

export function* validateDevices(
  container: JsonObject,
  path: string,
  volumes: Volumes,
): FieldErrors {
  const mounts = placesOf(container, 'volumeMounts', 'mountPath');
  const mountPaths = new Set(mounts.values());
  const [names, paths] = [new Set<string>(), new Set<string>()];
  for (const [index, device] of readObjects(container['volumeDevices']).entries()) {
    const at = `${path}[${index}]`;
    const [name, devicePath] = [readText(device['name']), readText(device['devicePath'])];
    yield* validateDeviceName(name, `${at}.name`, names, volumes);
    if (devicePath === '') yield required(`${at}.devicePath`);
    if (paths.has(devicePath)) yield invalidField(`${at}.devicePath`, devicePath, 'must be unique');
    if (devicePath.split('/').includes('..')) {
      yield invalidField(`${at}.devicePath`, devicePath, "can not contain backsteps ('..')");
    } else {
      paths.add(devicePath);
    }
    if (mounts.has(name)) {
      yield invalidField(`${at}.name`, name, 'must not already exist in volumeMounts');
    }
    if (mountPaths.has(devicePath)) {
      const detail = 'must not already exist as a path in volumeMounts';
      yield invalidField(`${at}.devicePath`, devicePath, detail);
    }
    if (name !== '') names.add(name);
  }
}

function* validateDeviceName(
  name: string,
  field: string,
  names: ReadonlySet<string>,
  volumes: Volumes,
): FieldErrors {
  const volume = volumes.get(name);
  if (name === '') yield required(field);
  if (names.has(name)) yield invalidField(field, name, 'must be unique');
  if (!volume) yield notFoundField(field, name);
  else if (!isGiven(volume['persistentVolumeClaim']) && !isGiven(volume['ephemeral'])) {
    yield invalidField(
      field,
      name,
      'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
    );
  }
}

/** For an invalid subPath, the API reports the error for the list and not for the mount. */
function* validateSubPaths(mount: JsonObject, path: string, at: string): FieldErrors {
  const [subPath, expression] = [readText(mount['subPath']), readText(mount['subPathExpr'])];
  if (subPath !== '') yield* validateDescendingPath(subPath, `${path}.subPath`);
  if (expression === '') return;
  if (subPath !== '') {
    const detail = 'subPathExpr and subPath are mutually exclusive';
    yield invalidField(`${at}.subPathExpr`, expression, detail);
  }
  yield* validateDescendingPath(expression, `${path}.subPathExpr`);
}

function* validatePropagation(
  mount: JsonObject,
  container: JsonObject,
  field: string,
): FieldErrors {
  if (!isGiven(mount['mountPropagation'])) return;
  const mode = readText(mount['mountPropagation']);
  if (!PROPAGATIONS.includes(mode)) yield unsupported(field, mode, PROPAGATIONS);
  const isPrivileged = readFlag(readStruct(container['securityContext'])['privileged']);
  if (mode === 'Bidirectional' && !isPrivileged) {
    yield forbiddenField(
      field,
      'Bidirectional mount propagation is available only to privileged containers',
    );
  }
}

function* validateRecursiveReadOnly(mount: JsonObject, field: string): FieldErrors {
  const { recursiveReadOnly, mountPropagation } = mount;
  if (!isGiven(recursiveReadOnly)) return;
  const mode = readText(recursiveReadOnly);
  if (!RECURSIVE_READ_ONLY.includes(mode)) {
    yield unsupported(field, mode, RECURSIVE_READ_ONLY);
  } else if (mode !== 'Disabled') {
    if (mount['readOnly'] !== true) {
      yield forbiddenField(field, 'may only be specified when readOnly is true');
    }
    if (isGiven(mountPropagation) && mountPropagation !== 'None') {
      const detail = 'may only be specified when mountPropagation is None or not specified';
      yield forbiddenField(field, detail);
    }
  }
}

/** Mount paths by the name of the volume. */
function placesOf(
  container: JsonObject,
  list: 'volumeDevices' | 'volumeMounts',
  path: 'devicePath' | 'mountPath',
): ReadonlyMap<string, string> {
  return new Map(
    readObjects(container[list]).map((fieldPath) => [
      readText(fieldPath['name']),
      readText(fieldPath[path]),
    ]),
  );
}
