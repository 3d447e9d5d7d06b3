/** The validation rule of each volume source. Larger rules are in separate files. */
import { signOfQuantity } from '../../values/quantity.ts';
import { checkDns1123Subdomain } from '../../validation-names.ts';
import type { JsonObject } from '../../../lib/json.ts';
import {
  forbiddenField,
  invalidField,
  invalidFor,
  required,
  tooLong,
  unsupported,
  type FieldErrors,
} from '../../validation/field-errors.ts';
import { isGiven, readObject, readObjects, readText } from '../../validation/json-reading.ts';
import { validateDescendingPath, validateNoStepsBack } from '../../validation/paths.ts';
import { readAmount } from '../../validation/quantities.ts';
import { validateClaimTemplate } from './claim-template.ts';
import { validatePullPolicy } from '../containers/containers.ts';
import { validateDownwardFile, validateKeyToPath, validateMode } from './file-projection.ts';
import { validateProjected } from './projected-volume.ts';
import * as remote from './remote-volume-rules.ts';
import type { SpecOptions } from '../spec-options.ts';
import type { VolumeSource } from '../volume-sources.ts';

type VolumeRule = (source: JsonObject, path: string, options: SpecOptions) => FieldErrors;

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];
const DRIVER_LENGTH_MAX = 63;

export const VOLUME_RULES: Readonly<Record<VolumeSource, VolumeRule>> = {
  emptyDir: validateEmptyDir,
  hostPath: validateHostPath,
  gitRepo: validateGitRepo,
  gcePersistentDisk: (source, path) => remote.validateDisk(source, path, 'pdName'),
  awsElasticBlockStore: (source, path) => remote.validateDisk(source, path, 'volumeID'),
  secret: (source, path) => validateKeys(source, path, 'secretName'),
  nfs: remote.validateNfs,
  iscsi: remote.validateIscsi,
  glusterfs: requires('endpoints', 'path'),
  flocker: remote.validateFlocker,
  persistentVolumeClaim: requires('claimName'),
  rbd: requires('monitors', 'image'),
  cinder: remote.validateCinder,
  cephfs: requires('monitors'),
  quobyte: remote.validateQuobyte,
  downwardAPI: validateDownwardApi,
  fc: remote.validateFibreChannel,
  flexVolume: remote.validateFlexVolume,
  configMap: (source, path) => validateKeys(source, path, 'name'),
  azureFile: requires('secretName', 'shareName'),
  vsphereVolume: requires('volumePath'),
  photonPersistentDisk: requires('pdID'),
  portworxVolume: requires('volumeID'),
  azureDisk: remote.validateAzureDisk,
  storageos: remote.validateStorageOs,
  projected: validateProjected,
  scaleIO: requires('gateway', 'system', 'volumeName'),
  csi: validateCsi,
  ephemeral: validateEphemeral,
  image: validateImage,
};

function requires(...names: readonly string[]): VolumeRule {
  return function* validateRequired(source, path) {
    for (const name of names) {
      const value = source[name];
      if (!isGiven(value) || value === '' || (Array.isArray(value) && value.length === 0)) {
        yield required(`${path}.${name}`);
      }
    }
  };
}

function* validateEmptyDir(source: JsonObject, path: string): FieldErrors {
  if (signOfQuantity(readAmount(source['sizeLimit'])) >= 0) return;
  yield forbiddenField(`${path}.sizeLimit`, 'SizeLimit field must be a valid resource quantity');
}

function* validateHostPath(source: JsonObject, path: string): FieldErrors {
  const hostPath = readText(source['path']);
  if (hostPath === '') {
    yield required(`${path}.path`);
    return;
  }
  yield* validateNoStepsBack(hostPath, `${path}.path`);
  const type = readText(source['type']);
  if (!HOST_PATH_TYPES.includes(type)) yield unsupported(`${path}.type`, type, HOST_PATH_TYPES);
}

function* validateGitRepo(source: JsonObject, path: string): FieldErrors {
  if (readText(source['repository']) === '') yield required(`${path}.repository`);
  yield* validateDescendingPath(readText(source['directory']), `${path}.directory`);
}

/** A Secret or a ConfigMap whose keys become files. */
function* validateKeys(source: JsonObject, path: string, nameField: string): FieldErrors {
  if (readText(source[nameField]) === '') yield required(`${path}.${nameField}`);
  yield* validateMode(source['defaultMode'], `${path}.defaultMode`);
  for (const [index, item] of readObjects(source['items']).entries()) {
    yield* validateKeyToPath(item, `${path}.items[${index}]`);
  }
}

function* validateDownwardApi(source: JsonObject, path: string): FieldErrors {
  yield* validateMode(source['defaultMode'], `${path}.defaultMode`);
  for (const file of readObjects(source['items'])) yield* validateDownwardFile(file, path);
}

function* validateCsi(source: JsonObject, path: string): FieldErrors {
  yield* validateDriverName(readText(source['driver']), `${path}.driver`);
  const ref = readObject(source['nodePublishSecretRef']);
  if (!ref) return;
  const name = readText(ref['name']);
  if (name === '') yield required(`${path}.nodePublishSecretRef.name`);
  else yield* invalidFor(`${path}.name`, name, checkDns1123Subdomain(name));
}

function* validateDriverName(name: string, field: string): FieldErrors {
  if (name === '') {
    yield required(field);
    return;
  }
  if (Buffer.byteLength(name) > DRIVER_LENGTH_MAX) yield tooLong(field, DRIVER_LENGTH_MAX);
  for (const sentence of checkDns1123Subdomain(name.toLowerCase())) {
    yield invalidField(field, name, sentence);
  }
}

function* validateEphemeral(source: JsonObject, path: string): FieldErrors {
  const template = readObject(source['volumeClaimTemplate']);
  if (!template) yield required(`${path}.volumeClaimTemplate`);
  else yield* validateClaimTemplate(template, `${path}.volumeClaimTemplate`);
}

function* validateImage(source: JsonObject, path: string, { isPod }: SpecOptions): FieldErrors {
  if (isPod && readText(source['reference']) === '') yield required(`${path}.reference`);
  yield* validatePullPolicy(readText(source['pullPolicy']), `${path}.pullPolicy`);
}
