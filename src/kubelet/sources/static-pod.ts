/**
 * Builds a static pod from a manifest as Kubernetes' kubelet does: the pod is bound to this node, the node's
 * name is appended to the pod's name, and the UID is computed from the content.
 *
 * The UID is a hash of the manifest, the node and the path: the same file yields the same pod after a
 * restart, and a changed file another one. The UID differs from that of Kubernetes' kubelet, which is a hash
 * of the pod's layout in Go's memory and changes between versions of Kubernetes.
 */
import { createHash } from 'node:crypto';
import type { Pod } from '../../api/pod.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { CONFIG_HASH } from '../pod-manager/config-annotations.ts';
import { apiReferenceOf } from './api-reference.ts';
import { manifestInvalid } from './manifest-errors.ts';

export interface StaticPodOrigin {
  readonly file: string;
  readonly nodeName: string;
  /**
   * Applies the API server's defaults, and throws a validation error for a pod that the API server would
   * reject.
   */
  readonly prepare: (pod: JsonObject) => JsonObject;
}

/** Prevents an eviction of the pod by NoExecute taints when the node has problems. */
const TOLERATION = { operator: 'Exists', effect: 'NoExecute' };
const UID_DIGITS = 32;

export function toStaticPod(manifest: JsonObject, origin: StaticPodOrigin): Pod {
  const { file, prepare } = origin;
  const pod = tryTo(file, () => prepare(bindToNode(manifest, origin)));
  if (!isPod(pod)) throw manifestInvalid({ file, problem: 'spec.containers: Required value' });
  const reference = apiReferenceOf(pod);
  if (reference !== null) {
    throw manifestInvalid({ file, problem: `static pods may not reference ${reference}` });
  }
  return pod;
}

function bindToNode(manifest: JsonObject, { file, nodeName }: StaticPodOrigin): JsonObject {
  const metadata = isJsonObject(manifest['metadata']) ? manifest['metadata'] : {};
  const spec = isJsonObject(manifest['spec']) ? manifest['spec'] : {};
  const { name, namespace, uid: ownUid, annotations } = metadata;
  if (typeof name !== 'string' || name === '') {
    throw manifestInvalid({ file, problem: 'invalid pod: name is needed for the pod' });
  }
  const uid = isText(ownUid) ? ownUid : hashOf(manifest, file, nodeName);
  return {
    ...manifest,
    metadata: {
      ...metadata,
      name: `${name}-${nodeName.toLowerCase()}`,
      namespace: isText(namespace) ? namespace : 'default',
      uid,
      annotations: { ...(isJsonObject(annotations) && annotations), [CONFIG_HASH]: uid },
    },
    spec: { ...spec, nodeName, tolerations: tolerate(spec['tolerations']) },
    status: { phase: 'Pending' },
  };
}

/** Adds the toleration, or replaces one that differs only in its tolerationSeconds. */
function tolerate(value: Json | undefined): readonly Json[] {
  const list: readonly Json[] = Array.isArray(value) ? value : [];
  const at = list.findIndex(
    (one) =>
      isJsonObject(one) &&
      one['operator'] === TOLERATION.operator &&
      one['effect'] === TOLERATION.effect &&
      !isText(one['key']) &&
      !isText(one['value']),
  );
  return at < 0 ? [...list, TOLERATION] : list.with(at, TOLERATION);
}

function hashOf(manifest: JsonObject, file: string, nodeName: string): string {
  return createHash('sha256')
    .update(`${printSorted(manifest)}host:${nodeName}file:${file}`)
    .digest('hex')
    .slice(0, UID_DIGITS);
}

/** The same text for the same content, in any order of its fields. */
function printSorted(value: Json | undefined): string {
  if (Array.isArray(value)) {
    const list: readonly Json[] = value;
    return `[${list.map(printSorted).join(',')}]`;
  }
  if (!isJsonObject(value)) return JSON.stringify(value ?? null);
  const keys = Object.keys(value).toSorted();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${printSorted(value[key])}`).join(',')}}`;
}

function tryTo(file: string, prepare: () => JsonObject): JsonObject {
  try {
    return prepare();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MANIFEST_INVALID') throw error;
    const problem = `invalid pod: ${error instanceof Error ? error.message : String(error)}`;
    throw manifestInvalid({ file, problem }, error);
  }
}

function isPod(object: JsonObject): object is JsonObject & Pod {
  const { spec } = object;
  return (
    isJsonObject(object['metadata']) && isJsonObject(spec) && Array.isArray(spec['containers'])
  );
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '';
}
