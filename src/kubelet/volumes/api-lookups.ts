/**
 * Reads PersistentVolumeClaims and PersistentVolumes from the API server, and requests service account
 * tokens.
 */
import { parseTime } from '../../api/values/time.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { ClaimLookup } from '../../ports/api/claim-lookup.ts';
import type { KubeApi } from '../../ports/api/kube-api.ts';
import type { TokenSource } from '../../ports/api/token-source.ts';
import { volumeUnusable } from './volume-errors.ts';

export function claimLookupFrom(api: KubeApi): ClaimLookup {
  const get = (path: string, signal?: AbortSignal) => api.send({ method: 'GET', path }, signal);
  return {
    getClaim: (namespace, name, signal) =>
      get(`${namespacePath(namespace)}/persistentvolumeclaims/${encodeURIComponent(name)}`, signal),
    getVolume: (name, signal) =>
      get(`/api/v1/persistentvolumes/${encodeURIComponent(name)}`, signal),
  };
}

/** The token is bound to the pod: it becomes invalid when the pod is deleted. */
export function tokenSourceFrom(api: KubeApi): TokenSource {
  return {
    request: async (namespace, account, spec, pod, signal) => {
      const name = encodeURIComponent(account);
      const path = `${namespacePath(namespace)}/serviceaccounts/${name}/token`;
      const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: pod.name, uid: pod.uid };
      const body = {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { ...spec, boundObjectRef },
      };
      const answer = await api.send({ method: 'POST', path, body }, signal);
      return readAnswer(answer, spec.expirationSeconds);
    },
  };
}

function readAnswer(answer: JsonObject, askedSeconds: number) {
  const { token, expirationTimestamp } = objectOf(answer['status']);
  const { expirationSeconds: granted } = objectOf(answer['spec']);
  if (typeof token !== 'string' || typeof expirationTimestamp !== 'string') {
    throw volumeUnusable({ reason: 'the API server answered without a token' });
  }
  const expirationSeconds = typeof granted === 'number' ? granted : askedSeconds;
  return { token, expirationSeconds, expiresAtMs: parseTime(expirationTimestamp).ms };
}

function namespacePath(namespace: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}`;
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
