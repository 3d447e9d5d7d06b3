/** Validates the environment variables of a container (`env`, `envFrom`). */
import { checkDns1123Subdomain } from '../../validation-names.ts';
import type { JsonObject } from '../../../lib/json.ts';
import {
  invalidField,
  invalidFor,
  notFoundField,
  required,
  type FieldErrors,
} from '../../validation/field-errors.ts';
import {
  isGiven,
  readObject,
  readObjects,
  readStruct,
  readText,
} from '../../validation/json-reading.ts';
import type { Value } from '../../validation/json-reading.ts';
import { checkConfigKey, checkEnvName, validateDnsLabel } from '../../validation/names.ts';
import { validateNoStepsBack } from '../../validation/paths.ts';
import { allContainers } from '../container-lists.ts';
import { validateFieldRef, validateResourceRef, VARIABLE_FIELDS } from '../volumes/downward-api.ts';

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];

export function* validateEnv(env: Value, path: string): FieldErrors {
  for (const [index, variable] of readObjects(env).entries()) {
    const at = `${path}[${index}]`;
    const name = readText(variable['name']);
    if (name === '') yield required(`${at}.name`);
    else yield* invalidFor(`${at}.name`, name, checkEnvName(name));
    yield* validateValueFrom(variable, `${at}.valueFrom`);
  }
}

export function* validateEnvFrom(envFrom: Value, path: string): FieldErrors {
  for (const [index, source] of readObjects(envFrom).entries()) {
    const at = `${path}[${index}]`;
    const prefix = readText(source['prefix']);
    if (prefix !== '') yield* invalidFor(`${at}.prefix`, prefix, checkEnvName(prefix));
    const given = ['configMapRef', 'secretRef'].filter((name) => isGiven(source[name]));
    for (const name of given) {
      const ref = readText(readStruct(source[name])['name']);
      if (ref === '') yield required(`${at}.${name}.name`);
      else yield* invalidFor(`${at}.${name}.name`, ref, checkPrefix(ref));
    }
    // The API reports the error for the whole list here, not for the invalid source.
    if (given.length === 0)
      yield invalidField(path, '', 'must specify one of: `configMapRef` or `secretRef`');
    if (given.length > 1)
      yield invalidField(path, '', 'may not have more than one field specified at a time');
  }
}

/** A variable from a file (`fileKeyRef`) needs a volume that another container can write to. */
export function* validateFileKeyVolumes(spec: JsonObject, path: string): FieldErrors {
  const volumes = new Map(
    readObjects(spec['volumes']).map((volume) => [readText(volume['name']), volume]),
  );
  for (const { container, path: at } of allContainers(spec, path)) {
    for (const [index, variable] of readObjects(container['env']).entries()) {
      const ref = readObject(readStruct(variable['valueFrom'])['fileKeyRef']);
      if (!ref) continue;
      const name = readText(ref['volumeName']);
      const field = `${at}.env[${index}].valueFrom.fileKeyRef.volumeName`;
      const volume = volumes.get(name);
      if (!volume) yield notFoundField(field, name);
      else if (!isGiven(volume['emptyDir'])) {
        yield invalidField(field, name, 'referenced volume must be of type emptyDir');
      }
    }
  }
}

function* validateValueFrom(variable: JsonObject, path: string): FieldErrors {
  const source = readObject(variable['valueFrom']);
  if (!source) return;
  const given = SOURCES.filter((name) => isGiven(source[name]));
  for (const name of given)
    yield* validateSource(name, readStruct(source[name]), `${path}.${name}`);
  if (given.length === 0) {
    yield invalidField(
      path,
      '',
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
    );
  } else if (readText(variable['value']) !== '') {
    yield invalidField(path, '', 'may not be specified when `value` is not empty');
  } else if (given.length > 1) {
    yield invalidField(path, '', 'may not have more than one field specified at a time');
  }
}

function* validateSource(name: string, ref: JsonObject, path: string): FieldErrors {
  if (name === 'fieldRef') yield* validateFieldRef(ref, path, VARIABLE_FIELDS);
  else if (name === 'resourceFieldRef') yield* validateResourceRef(ref, path, false);
  else if (name === 'fileKeyRef') yield* validateFileKey(ref, path);
  else yield* validateKeyRef(ref, path);
}

function* validateKeyRef(ref: JsonObject, path: string): FieldErrors {
  const [name, key] = [readText(ref['name']), readText(ref['key'])];
  yield* invalidFor(`${path}.name`, name, checkDns1123Subdomain(name));
  if (key === '') yield required(`${path}.key`);
  else yield* invalidFor(`${path}.key`, key, checkConfigKey(key));
}

function* validateFileKey(ref: JsonObject, path: string): FieldErrors {
  const [key, volumeName, file] = ['key', 'volumeName', 'path'].map((name) => readText(ref[name]));
  if (!key) yield required(`${path}.key`);
  else yield* invalidFor(`${path}.key`, key, checkEnvName(key));
  if (!volumeName) yield required(`${path}.volumeName`);
  else yield* validateDnsLabel(volumeName, `${path}.volumeName`);
  if (!file) yield required(`${path}.path`);
  else yield* validateNoStepsBack(file, `${path}.path`);
}

/** A name of an `envFrom` source may end in a dash, as a name prefix may. */
function checkPrefix(name: string): readonly string[] {
  const isPrefix = name.length > 1 && name.endsWith('-');
  return checkDns1123Subdomain(isPrefix ? `${name.slice(0, -2)}a` : name);
}
