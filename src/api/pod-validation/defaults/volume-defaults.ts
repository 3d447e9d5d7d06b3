/** Applies defaults to a volume. A volume without a source becomes an emptyDir. */
import type { JsonObject } from '../../../lib/json.ts';
import {
  changeObject,
  changeObjects,
  fillAbsent,
  fillEmpty,
} from '../../validation/json-changes.ts';
import { isGiven, readText } from '../../validation/json-reading.ts';
import { defaultFieldRef, pullPolicyFor } from './container-defaults.ts';
import { defaultRequirements } from './resource-defaults.ts';
import { VOLUME_SOURCES } from '../volume-sources.ts';

/** Octal 0644: readable by all, writable by the owner. */
const FILE_MODE = 0o644;
const TOKEN_SECONDS = 3600;

type Change = (source: JsonObject) => JsonObject;

const SOURCE_DEFAULTS: Readonly<Record<string, Change>> = {
  hostPath: (source) => fillAbsent(source, { type: '' }),
  secret: fillMode,
  configMap: fillMode,
  downwardAPI: (source) => changeObjects(fillMode(source), 'items', defaultFieldRef),
  projected: (source) => changeObjects(fillMode(source), 'sources', defaultProjection),
  iscsi: (source) => fillEmpty(source, { iscsiInterface: 'default' }),
  rbd: (source) => fillEmpty(source, { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' }),
  azureDisk: (source) =>
    fillAbsent(source, {
      cachingMode: 'ReadWrite',
      fsType: 'ext4',
      readOnly: false,
      kind: 'Shared',
    }),
  scaleIO: (source) => fillEmpty(source, { storageMode: 'ThinProvisioned', fsType: 'xfs' }),
  ephemeral: (source) => changeObject(source, 'volumeClaimTemplate', defaultClaimTemplate),
  image: (source) =>
    fillEmpty(source, { pullPolicy: pullPolicyFor(readText(source['reference'])) }),
};

export function defaultVolume(volume: JsonObject): JsonObject {
  const hasSource = VOLUME_SOURCES.some((name) => isGiven(volume[name]));
  return defaultSource(hasSource ? volume : fillAbsent(volume, { emptyDir: {} }));
}

/** `volume`: a volume of a pod, or a PersistentVolume's spec, which names the shared sources the same. */
export function defaultSource(volume: JsonObject): JsonObject {
  return Object.entries(SOURCE_DEFAULTS).reduce(
    (next, [name, change]) => changeObject(next, name, change),
    volume,
  );
}

function fillMode(source: JsonObject): JsonObject {
  return fillAbsent(source, { defaultMode: FILE_MODE });
}

function defaultProjection(projection: JsonObject): JsonObject {
  const filled = changeObject(projection, 'downwardAPI', (source) =>
    changeObjects(source, 'items', defaultFieldRef),
  );
  return changeObject(filled, 'serviceAccountToken', (token) =>
    fillAbsent(token, { expirationSeconds: TOKEN_SECONDS }),
  );
}

function defaultClaimTemplate(template: JsonObject): JsonObject {
  return changeObject(fillAbsent(template, { spec: {} }), 'spec', (spec) =>
    changeObject(fillAbsent(spec, { volumeMode: 'Filesystem' }), 'resources', defaultRequirements),
  );
}
