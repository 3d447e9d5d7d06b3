/** The API requests of the status manager: get, patch and delete a pod (SM-70, SM-73, SM-79). */
import type { Pod } from '../api/pod.ts';
import { assert } from '../lib/assert.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import type { ApiClient, PodName } from '../ports/api/api-client.ts';
import type { KubeApi } from '../ports/api/kube-api.ts';
import { apiAnswerBroken } from './client-errors.ts';

const STRATEGIC = 'application/strategic-merge-patch+json';

export function createApiClient(api: KubeApi): ApiClient {
  return {
    getPod: async (name, signal) =>
      toPod(await api.send({ method: 'GET', path: pathOf(name) }, signal), name),

    async patchPodStatus(name, patch, signal) {
      const path = `${pathOf(name)}/status`;
      assert(isJsonObject(patch), 'a strategic merge patch is an object');
      const request = { method: 'PATCH', path, body: patch, contentType: STRATEGIC } as const;
      return toPod(await api.send(request, signal), name);
    },

    async deletePod(name, { uid, gracePeriodSeconds }, signal) {
      const body: JsonObject = {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        gracePeriodSeconds,
        preconditions: { uid },
      };
      await api.send({ method: 'DELETE', path: pathOf(name), body }, signal);
    },
  };
}

function pathOf({ namespace, name }: PodName): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
}

/** Checks only that the object is a pod: the server has validated it. */
function toPod(object: JsonObject, { namespace, name }: PodName): Pod {
  const request = `the request about pod ${namespace}/${name}`;
  if (!isPod(object)) throw apiAnswerBroken({ request, problem: 'it is not a pod' });
  return object;
}

function isPod(object: JsonObject): object is JsonObject & Pod {
  return isJsonObject(object['metadata']) && isJsonObject(object['spec']);
}
