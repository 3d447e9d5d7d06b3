import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../lib/json.ts';
import type { KubeApi, KubeRequest } from '../../ports/api/kube-api.ts';
import { claimLookupFrom, tokenSourceFrom } from './api-lookups.ts';

function makeApi(answer: JsonObject) {
  const requests: KubeRequest[] = [];
  const api: Pick<KubeApi, 'send'> = {
    send: async (request) => {
      requests.push(request);
      return answer;
    },
  };
  return { api: api as KubeApi, requests };
}

const POD = { uid: 'u', name: 'web', namespace: 'shop' };
const SPEC = { audiences: ['vault'], expirationSeconds: 600 };

describe('the API requests of volumes', () => {
  test('are claims and persistent volumes, by their names', async () => {
    const { api, requests } = makeApi({});
    const lookup = claimLookupFrom(api);
    await lookup.getClaim('shop', 'a b');
    await lookup.getVolume('pv-1');
    expect(requests).toEqual([
      { method: 'GET', path: '/api/v1/namespaces/shop/persistentvolumeclaims/a%20b' },
      { method: 'GET', path: '/api/v1/persistentvolumes/pv-1' },
    ]);
  });

  test('are tokens that are bound to the pod', async () => {
    const status = { token: 't', expirationTimestamp: '2030-01-01T00:00:00Z' };
    const { api, requests } = makeApi({ status, spec: { expirationSeconds: 607 } });
    const token = await tokenSourceFrom(api).request('shop', 'clerk', SPEC, POD);
    expect(token).toEqual({
      token: 't',
      expirationSeconds: 607,
      expiresAtMs: Date.UTC(2030, 0, 1),
    });
    expect(requests).toEqual([
      {
        method: 'POST',
        path: '/api/v1/namespaces/shop/serviceaccounts/clerk/token',
        body: {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          spec: {
            ...SPEC,
            boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'u' },
          },
        },
      },
    ]);
  });

  test('fail if the response has no token', async () => {
    const asking = tokenSourceFrom(makeApi({}).api).request('shop', 'clerk', SPEC, POD);
    await expect(asking).rejects.toThrow('the API server answered without a token');
  });
});
