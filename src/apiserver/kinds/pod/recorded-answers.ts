/**
 * Reads recorded responses of kube-apiserver v1.36.4 to requests about pods, for the tests of this folder.
 *
 * One scenario per line, each in its own namespace. Times, identifiers and the like are placeholders such as
 * `<time>`. The server ran with its default admission plugins, whose additions are not tested here:
 * `withoutAdmission` removes them.
 */
import { readFileSync } from 'node:fs';
import { applyJsonMergePatch } from '../../../api/patch/json-merge-patch.ts';
import { applyStrategicMergePatch } from '../../../api/patch/strategic-merge-patch.ts';
import { structOf } from '../../../api/schema/schema.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';

export interface RecordedStep {
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly body?: JsonObject;
    readonly contentType?: string;
  };
  readonly response: { readonly code: number; readonly body: JsonObject };
}

interface Scenario {
  readonly scenario: string;
  readonly steps: readonly RecordedStep[];
}

const ADMITTED_TOLERATIONS: ReadonlySet<Json> = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
]);
const ADMITTED_FIELDS = ['priority', 'preemptionPolicy', 'serviceAccount', 'serviceAccountName'];
const SERVER_METADATA = ['creationTimestamp', 'namespace', 'resourceVersion', 'uid'];

export function stepsOf(name: string): readonly RecordedStep[] {
  const text = readFileSync(new URL('recorded-answers.jsonl', import.meta.url), 'utf8');
  // A time that the server chose is replaced by a fixed valid one.
  const known = text.replaceAll('"<time>"', '"2026-11-15T00:00:00Z"').replaceAll('<rand>', 'abcde');
  const scenarios: readonly Scenario[] = known
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return scenarios.find(({ scenario }) => scenario === name)?.steps ?? [];
}

/** Steps that create pods, with their responses. */
export function creationsIn(name: string): readonly RecordedStep[] {
  return stepsOf(name).filter(
    ({ request: { method, body } }) => method === 'POST' && body?.['kind'] === 'Pod',
  );
}

/** The object with a recorded patch applied. */
export function applyRecordedPatch(object: JsonObject, { request }: RecordedStep): JsonObject {
  const patch = request.body ?? {};
  const patched =
    request.contentType === 'application/merge-patch+json'
      ? applyJsonMergePatch(object, patch)
      : applyStrategicMergePatch(object, patch, structOf('core/v1.Pod'));
  return isJsonObject(patched) ? patched : {};
}

/** The object without the additions of the server's metadata and its admission plugins. */
export function withoutAdmission(pod: JsonObject): JsonObject {
  const spec = without(objectIn(pod, 'spec'), ADMITTED_FIELDS);
  const tolerations = listIn(spec, 'tolerations').filter(
    (one) => !ADMITTED_TOLERATIONS.has(keyOf(one)),
  );
  const volumes = listIn(spec, 'volumes').filter((volume) => !isTokenVolume(volume));
  const metadata = without(objectIn(pod, 'metadata'), SERVER_METADATA);
  // The printed form of an object omits empty maps.
  const hasLabels = Object.keys(objectIn(metadata, 'labels')).length > 0;
  return {
    ...pod,
    metadata: hasLabels ? metadata : without(metadata, ['labels']),
    spec: {
      ...without(spec, ['tolerations', 'volumes']),
      ...(tolerations.length > 0 && { tolerations }),
      ...(volumes.length > 0 && { volumes }),
      containers: listIn(spec, 'containers').map(withoutToken),
      ...(listIn(spec, 'initContainers').length > 0 && {
        initContainers: listIn(spec, 'initContainers').map(withoutToken),
      }),
    },
  };
}

/** Adds the tolerations that an admission plugin restores when an update removes them. */
export function withAdmittedTolerations(pod: JsonObject, old: JsonObject): JsonObject {
  const spec = objectIn(pod, 'spec');
  const own = listIn(spec, 'tolerations');
  const keys = new Set(own.map(keyOf));
  const lost = listIn(objectIn(old, 'spec'), 'tolerations').filter((one) => {
    const key = keyOf(one);
    return ADMITTED_TOLERATIONS.has(key) && !keys.has(key);
  });
  return lost.length === 0 ? pod : { ...pod, spec: { ...spec, tolerations: [...own, ...lost] } };
}

function withoutToken(container: Json): Json {
  if (!isJsonObject(container)) return container;
  const mounts = listIn(container, 'volumeMounts').filter((mount) => !isTokenVolume(mount));
  const rest = without(container, ['volumeMounts']);
  return mounts.length > 0 ? { ...rest, volumeMounts: mounts } : rest;
}

function isTokenVolume(value: Json): boolean {
  if (!isJsonObject(value)) return false;
  const { name } = value;
  return typeof name === 'string' && name.startsWith('kube-api-access-');
}

function keyOf(toleration: Json): Json {
  return isJsonObject(toleration) ? (toleration['key'] ?? null) : null;
}

function without(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

function objectIn(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

function listIn(object: JsonObject, name: string): readonly Json[] {
  const value = object[name];
  return Array.isArray(value) ? value : [];
}
