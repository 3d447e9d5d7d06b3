/** Lists the names of the Secrets and ConfigMaps that a pod refers to, all in its own namespace. */
import type { Pod } from '../../api/pod.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';

/** Where each kind of volume names its Secret: in a field, or in a reference. */
const SECRET_OF_VOLUME: ReadonlyMap<string, readonly string[]> = new Map([
  ['azureFile', ['secretName']],
  ['cephfs', ['secretRef', 'name']],
  ['cinder', ['secretRef', 'name']],
  ['flexVolume', ['secretRef', 'name']],
  ['rbd', ['secretRef', 'name']],
  ['secret', ['secretName']],
  ['scaleIO', ['secretRef', 'name']],
  ['iscsi', ['secretRef', 'name']],
  ['storageos', ['secretRef', 'name']],
  ['csi', ['nodePublishSecretRef', 'name']],
]);

const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

export function secretNamesOf(pod: Pod): ReadonlySet<string> {
  const spec = specOf(pod);
  const volumes = objects(spec['volumes']);
  return named([
    ...objects(spec['imagePullSecrets']).map((reference) => reference['name']),
    ...containersOf(spec).flatMap((container) => namesInEnv(container, 'secret')),
    ...volumes.flatMap(secretsOfVolume),
    ...volumes.flatMap((volume) => projected(volume, 'secret')),
  ]);
}

export function configMapNamesOf(pod: Pod): ReadonlySet<string> {
  const spec = specOf(pod);
  const volumes = objects(spec['volumes']);
  return named([
    ...containersOf(spec).flatMap((container) => namesInEnv(container, 'configMap')),
    ...volumes.map((volume) => walk(volume, ['configMap', 'name'])),
    ...volumes.flatMap((volume) => projected(volume, 'configMap')),
  ]);
}

function secretsOfVolume(volume: JsonObject): readonly Value[] {
  return Object.keys(volume).map((kind) => {
    const fields = SECRET_OF_VOLUME.get(kind);
    return fields && walk(volume, [kind, ...fields]);
  });
}

function containersOf(spec: JsonObject): readonly JsonObject[] {
  return CONTAINER_LISTS.flatMap((name) => objects(spec[name]));
}

function namesInEnv(container: JsonObject, kind: 'secret' | 'configMap'): readonly Value[] {
  return [
    ...objects(container['envFrom']).map((source) => walk(source, [`${kind}Ref`, 'name'])),
    ...objects(container['env']).map((entry) =>
      walk(entry, ['valueFrom', `${kind}KeyRef`, 'name']),
    ),
  ];
}

function projected(volume: JsonObject, kind: 'secret' | 'configMap'): readonly Value[] {
  return objects(walk(volume, ['projected', 'sources'])).map((source) =>
    walk(source, [kind, 'name']),
  );
}

type Value = Json | undefined;

function named(values: readonly Value[]): ReadonlySet<string> {
  return new Set(
    values.filter((value): value is string => typeof value === 'string' && value !== ''),
  );
}

function walk(object: JsonObject, path: readonly string[]): Value {
  let value: Value = object;
  for (const name of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function objects(value: Value): readonly JsonObject[] {
  if (!Array.isArray(value)) return [];
  const list: readonly Json[] = value;
  return list.filter(isJsonObject);
}

/** The type of a pod has only the fields that rules read; its spec is JSON with more fields. */
function specOf({ spec }: Pod): JsonObject {
  return isJsonObject(spec) ? spec : {};
}
