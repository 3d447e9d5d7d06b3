/**
 * Validates the in-tree sources of remote volumes (NFS, iSCSI, cloud disks and others). CSI drivers have
 * replaced most of them, but the API still validates them.
 */
import type { JsonObject } from '../../../lib/json.ts';
import {
  invalidField,
  required,
  unsupported,
  type FieldErrors,
} from '../../validation/field-errors.ts';
import {
  isGiven,
  readEntries,
  readFlag,
  readList,
  readNumber,
  readStruct,
  readText,
} from '../../validation/json-reading.ts';
import { checkInRange, validateDnsLabel } from '../../validation/names.ts';

const IQN = /iqn\.\d{4}-\d{2}\.[A-Za-z0-9.-]+:[^,;*&$|\s]+$/;
const EUI = /^eui.[A-Za-z0-9]{16}$/;
const NAA = /^naa.[A-Za-z0-9]{32}$/;
const BYTE_MAX = 255;
const TENANT_LENGTH_MAX = 64;
const CACHING_MODES = ['None', 'ReadOnly', 'ReadWrite'];
const DISK_KINDS = ['Dedicated', 'Managed', 'Shared'];
const MANAGED_DISK =
  '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const BLOB_DISK = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

/** A cloud disk with partitions. */
export function* validateDisk(source: JsonObject, path: string, idField: string): FieldErrors {
  if (readText(source[idField]) === '') yield required(`${path}.${idField}`);
  const partition = readNumber(source['partition']);
  if (partition >= 0 && partition <= BYTE_MAX) return;
  yield invalidField(`${path}.partition`, partition, 'must be between 1 and 255, inclusive');
}

export function* validateNfs(source: JsonObject, path: string): FieldErrors {
  const remotePath = readText(source['path']);
  if (readText(source['server']) === '') yield required(`${path}.server`);
  if (remotePath === '') yield required(`${path}.path`);
  if (!remotePath.startsWith('/')) {
    yield invalidField(`${path}.path`, remotePath, 'must be an absolute path');
  }
}

export function* validateIscsi(source: JsonObject, path: string): FieldErrors {
  const iqn = readText(source['iqn']);
  if (readText(source['targetPortal']) === '') yield required(`${path}.targetPortal`);
  if (iqn === '') yield required(`${path}.iqn`);
  else yield* validateIscsiName(iqn, `${path}.iqn`);
  yield* validateByte(readNumber(source['lun']), `${path}.lun`);
  const needsSecret = readFlag(source['chapAuthDiscovery']) || readFlag(source['chapAuthSession']);
  if (needsSecret && !isGiven(source['secretRef'])) yield required(`${path}.secretRef`);
  if (isGiven(source['initiatorName'])) {
    yield* validateIscsiName(readText(source['initiatorName']), `${path}.initiatorname`);
  }
}

export function* validateFlocker(source: JsonObject, path: string): FieldErrors {
  const [name, uuid] = [readText(source['datasetName']), readText(source['datasetUUID'])];
  if (name === '' && uuid === '') {
    yield required(path, 'one of datasetName and datasetUUID is required');
  }
  if (name !== '' && uuid !== '') {
    const detail = 'datasetName and datasetUUID can not be specified simultaneously';
    yield invalidField(path, 'resource', detail);
  }
  if (name.includes('/')) yield invalidField(`${path}.datasetName`, name, "must not contain '/'");
}

export function* validateCinder(source: JsonObject, path: string): FieldErrors {
  if (readText(source['volumeID']) === '') yield required(`${path}.volumeID`);
  yield* validateSecretRef(source, path);
}

export function* validateQuobyte(source: JsonObject, path: string): FieldErrors {
  const registry = readText(source['registry']);
  const detail = 'must be a host:port pair or multiple pairs separated by commas';
  if (registry === '') yield required(`${path}.registry`, detail);
  else if (readText(source['tenant']).length > TENANT_LENGTH_MAX) {
    const limit = 'must be a UUID and may not exceed a length of 64 characters';
    yield required(`${path}.tenant`, limit);
  } else {
    for (const pair of registry.split(',')) {
      if (!isHostAndPort(pair)) yield invalidField(`${path}.registry`, registry, detail);
    }
  }
  if (readText(source['volume']) === '') yield required(`${path}.volume`);
}

export function* validateFibreChannel(source: JsonObject, path: string): FieldErrors {
  const { targetWWNs, wwids, lun } = source;
  const [hasTargets, hasIds] = [readList(targetWWNs).length > 0, readList(wwids).length > 0];
  const field = `${path}.targetWWNs`;
  if (!hasTargets && !hasIds) {
    yield required(field, 'must specify either targetWWNs or wwids, but not both');
  }
  if (hasTargets && hasIds) {
    const detail = 'targetWWNs and wwids can not be specified simultaneously';
    yield invalidField(field, targetWWNs, detail);
  }
  if (!hasTargets) return;
  if (!isGiven(lun)) yield required(`${path}.lun`, 'lun is required if targetWWNs is specified');
  else yield* validateByte(readNumber(lun), `${path}.lun`);
}

export function* validateFlexVolume(source: JsonObject, path: string): FieldErrors {
  if (readText(source['driver']) === '') yield required(`${path}.driver`);
  for (const [key] of readEntries(source['options'])) {
    const domain = `.${key.split('/', 1)[0]?.toLowerCase()}`;
    if (!domain.endsWith('.kubernetes.io') && !domain.endsWith('.k8s.io')) continue;
    const detail = 'kubernetes.io and k8s.io namespaces are reserved';
    yield invalidField(`${path}.options[${key}]`, key, detail);
  }
}

export function* validateAzureDisk(source: JsonObject, path: string): FieldErrors {
  const [uri, kind] = [readText(source['diskURI']), readText(source['kind'])];
  const caching = readText(source['cachingMode']);
  if (readText(source['diskName']) === '') yield required(`${path}.diskName`);
  if (uri === '') yield required(`${path}.diskURI`);
  if (isGiven(source['cachingMode']) && !CACHING_MODES.includes(caching)) {
    yield unsupported(`${path}.cachingMode`, caching, CACHING_MODES);
  }
  if (!isGiven(source['kind'])) return;
  if (!DISK_KINDS.includes(kind)) yield unsupported(`${path}.kind`, kind, DISK_KINDS);
  const [start, form] =
    kind === 'Managed' ? ['/subscriptions/', MANAGED_DISK] : ['https://', BLOB_DISK];
  if (!uri.startsWith(start)) yield unsupported(`${path}.diskURI`, uri, [form]);
}

export function* validateStorageOs(source: JsonObject, path: string): FieldErrors {
  const [name, namespace] = [readText(source['volumeName']), readText(source['volumeNamespace'])];
  if (name === '') yield required(`${path}.volumeName`);
  else yield* validateDnsLabel(name, `${path}.volumeName`);
  if (namespace !== '') yield* validateDnsLabel(namespace, `${path}.volumeNamespace`);
  yield* validateSecretRef(source, path);
}

function* validateSecretRef(source: JsonObject, path: string): FieldErrors {
  if (!isGiven(source['secretRef'])) return;
  const { name } = readStruct(source['secretRef']);
  if (readText(name) === '') yield required(`${path}.secretRef.name`);
}

function* validateIscsiName(name: string, field: string): FieldErrors {
  const forms: readonly (readonly [string, RegExp])[] = [
    ['iqn', IQN],
    ['eui', EUI],
    ['naa', NAA],
  ];
  const form = forms.find(([prefix]) => name.startsWith(prefix))?.[1];
  if (!form) yield invalidField(field, name, 'must be valid format starting with iqn, eui, or naa');
  else if (!form.test(name)) yield invalidField(field, name, 'must be valid format');
}

function* validateByte(value: number, field: string): FieldErrors {
  for (const sentence of checkInRange(value, 0, BYTE_MAX))
    yield invalidField(field, value, sentence);
}

function isHostAndPort(pair: string): boolean {
  return /^(?:\[[^\][]*\]|[^\][:]*):[^\][:]*$/.test(pair);
}
