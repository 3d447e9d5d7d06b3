/**
 * Finds an API object that a static pod refers to, which is not allowed: a static pod must run without an API
 * server.
 *
 * The texts are those that Kubernetes puts after "static pods may not reference".
 */
import type { Pod } from '../../api/pod.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { configMapNamesOf, secretNamesOf } from '../object-cache/pod-references.ts';

const VOLUMES_WITH_API: ReadonlyMap<string, string> = new Map([
  ['configMap', 'configmaps (via configmap volumes)'],
  ['secret', 'secrets (via secret volumes)'],
  ['csi', 'csidrivers (via CSI volumes)'],
  ['glusterfs', 'endpoints (via glusterFS volumes)'],
  ['persistentVolumeClaim', 'persistentvolumeclaims'],
  ['ephemeral', 'persistentvolumeclaims (via ephemeral volumes)'],
  ['azureFile', 'secrets (via azureFile volumes)'],
]);

const PROJECTIONS_WITH_API: ReadonlyMap<string, string> = new Map([
  ['configMap', 'configmaps (via projected volumes)'],
  ['secret', 'secrets (via projected volumes)'],
  ['serviceAccountToken', 'serviceaccounts (via projected volumes)'],
  ['clusterTrustBundle', 'clustertrustbundles'],
  ['podCertificate', 'podcertificates'],
]);

/** Null: the pod refers to none. */
export function apiReferenceOf(pod: Pod): string | null {
  const { spec } = pod;
  if (!isJsonObject(spec)) return null;
  if (isGiven(spec['serviceAccountName']) || isGiven(spec['serviceAccount'])) {
    return 'serviceaccounts';
  }
  if (secretNamesOf(pod).size > 0) return 'secrets';
  if (configMapNamesOf(pod).size > 0) return 'configmaps';
  if (objects(spec['resourceClaims']).length > 0) return 'resourceclaims';
  for (const volume of objects(spec['volumes'])) {
    const found = firstGiven(volume, VOLUMES_WITH_API) ?? projectionOf(volume);
    if (found !== null) return found;
  }
  return null;
}

function projectionOf({ projected }: JsonObject): string | null {
  for (const source of objects(isJsonObject(projected) ? projected['sources'] : null)) {
    const found = firstGiven(source, PROJECTIONS_WITH_API);
    if (found !== null) return found;
  }
  return null;
}

function firstGiven(object: JsonObject, words: ReadonlyMap<string, string>): string | null {
  for (const [name, word] of words) if (isGiven(object[name])) return word;
  return null;
}

function isGiven(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== '';
}

function objects(value: Json | undefined): readonly JsonObject[] {
  if (!Array.isArray(value)) return [];
  const list: readonly Json[] = value;
  return list.filter(isJsonObject);
}
