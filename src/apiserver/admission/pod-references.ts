/**
 * Lists the Secrets, ConfigMaps and claims that a pod or a PersistentVolume refers to. The kubelet that runs
 * the pod must be able to read them.
 */
import type { JsonObject } from '../../lib/json.ts';
import { objectsAt, structAt, textAt } from '../objects/field-path.ts';
import {
  readObject,
  readObjects,
  readStruct,
  readText,
} from '../../api/validation/json-reading.ts';
import { nameOf } from '../objects/metadata.ts';

/** Fields of a pod's volume that name a Secret in its namespace. */
const SECRET_PATHS = [
  'azureFile.secretName',
  'cephfs.secretRef.name',
  'cinder.secretRef.name',
  'csi.nodePublishSecretRef.name',
  'flexVolume.secretRef.name',
  'iscsi.secretRef.name',
  'rbd.secretRef.name',
  'scaleIO.secretRef.name',
  'secret.secretName',
  'storageos.secretRef.name',
];

/** Fields of a PersistentVolume that name a Secret that the kubelet uses. */
const VOLUME_SECRET_PATHS = [
  'cephfs.secretRef',
  'cinder.secretRef',
  'csi.nodeExpandSecretRef',
  'csi.nodePublishSecretRef',
  'csi.nodeStageSecretRef',
  'flexVolume.secretRef',
  'iscsi.secretRef',
  'rbd.secretRef',
  'scaleIO.secretRef',
  'storageos.secretRef',
];

export interface Named {
  readonly namespace: string;
  readonly name: string;
}

export function secretsOf(pod: JsonObject): readonly string[] {
  return present([
    ...objectsAt(pod, 'spec.imagePullSecrets').map((one) => readText(one['name'])),
    ...environmentNames(pod, 'secretRef', 'secretKeyRef'),
    ...volumesOf(pod).flatMap((volume) => [
      ...SECRET_PATHS.map((path) => textAt(volume, path)),
      ...sourcesOf(volume).map((source) => textAt(source, 'secret.name')),
    ]),
  ]);
}

export function configMapsOf(pod: JsonObject): readonly string[] {
  return present([
    ...environmentNames(pod, 'configMapRef', 'configMapKeyRef'),
    ...volumesOf(pod).flatMap((volume) => [
      textAt(volume, 'configMap.name'),
      ...sourcesOf(volume).map((source) => textAt(source, 'configMap.name')),
    ]),
  ]);
}

export function claimsOf(pod: JsonObject): readonly string[] {
  return present(
    volumesOf(pod).map((volume) =>
      readObject(volume['ephemeral'])
        ? `${nameOf(pod)}-${readText(volume['name'])}`
        : textAt(volume, 'persistentVolumeClaim.claimName'),
    ),
  );
}

/** The Secrets of a PersistentVolume. A reference without a namespace means that of the claim. */
export function volumeSecretsOf(volume: JsonObject): readonly Named[] {
  const spec = readStruct(volume['spec']);
  const claimed = textAt(spec, 'claimRef.namespace');
  const azure = structAt(spec, 'azureFile');
  return [
    ...VOLUME_SECRET_PATHS.map((path) => structAt(spec, path)),
    { name: readText(azure['secretName']), namespace: readText(azure['secretNamespace']) },
  ]
    .map((ref) => ({
      namespace: readText(ref['namespace']) || claimed,
      name: readText(ref['name']),
    }))
    .filter(({ name }) => name !== '');
}

export function volumesOf(pod: JsonObject): readonly JsonObject[] {
  return objectsAt(pod, 'spec.volumes');
}

export function sourcesOf(volume: JsonObject): readonly JsonObject[] {
  return objectsAt(volume, 'projected.sources');
}

function environmentNames(pod: JsonObject, whole: string, key: string): readonly string[] {
  const spec = readStruct(pod['spec']);
  const containers = ['containers', 'initContainers', 'ephemeralContainers'].flatMap((list) =>
    readObjects(spec[list]),
  );
  return containers.flatMap((container) => [
    ...readObjects(container['envFrom']).map((one) => textAt(one, `${whole}.name`)),
    ...readObjects(container['env']).map((one) => textAt(one, `valueFrom.${key}.name`)),
  ]);
}

function present(names: readonly string[]): readonly string[] {
  return [...new Set(names)].filter((name) => name !== '');
}
