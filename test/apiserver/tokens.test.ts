import { describe, expect, test } from 'vitest';

import { textOf } from '../../src/apiserver/objects/metadata.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { AccessHarness, ACCOUNTS, PODS, type Answer } from './access-harness.ts';

const ISSUER = 'https://kubernetes.default.svc.cluster.local';
const HOUR_MS = 60 * 60 * 1000;
const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';

function claimsOf(token: string): JsonObject {
  const [, body = ''] = token.split('.');
  return JSON.parse(Buffer.from(body, 'base64url').toString()) as JsonObject;
}

function tokenOf({ body }: Answer): string {
  return textOf(body.status['token']);
}

function who(harness: AccessHarness, token: string): Promise<Answer> {
  return harness.send('POST', WHO, {}, { authorization: `Bearer ${token}` });
}

async function review(
  harness: AccessHarness,
  token: string,
  audiences?: readonly string[],
): Promise<JsonObject> {
  const spec = { token, ...(audiences && { audiences }) };
  const { code, body } = await harness.admin('POST', REVIEWS, { spec });
  expect(code).toBe(201);
  return body.status;
}

async function createPod(harness: AccessHarness, name = 'web'): Promise<Answer> {
  const spec = { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] };
  return harness.admin('POST', PODS, { metadata: { name }, spec });
}

const boundTo = (kind: string, name: string, uid?: string): JsonObject => ({
  boundObjectRef: { kind, apiVersion: 'v1', name, ...(uid !== undefined && { uid }) },
});

describe('a TokenRequest', () => {
  test('gives one for this server and for an hour, by default', async () => {
    const harness = await AccessHarness.open();
    const account = await harness.admin('GET', `${ACCOUNTS}/default`);
    const { code, body } = await harness.requestToken();
    expect(code).toBe(201);
    expect(body).toEqual({
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: {
        name: 'default',
        namespace: 'default',
        uid: account.body.metadata['uid'],
        creationTimestamp: '2030-01-02T03:04:05Z',
      },
      spec: { audiences: [ISSUER], expirationSeconds: 3600, boundObjectRef: null },
      status: { token: expect.any(String), expirationTimestamp: '2030-01-02T04:04:05Z' },
    });
    const now = Date.UTC(2030, 0, 2, 3, 4, 5) / 1000;
    expect(claimsOf(textOf(body.status['token']))).toEqual({
      aud: [ISSUER],
      exp: now + 3600,
      iat: now,
      iss: ISSUER,
      jti: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/),
      'kubernetes.io': {
        namespace: 'default',
        serviceaccount: { name: 'default', uid: account.body.metadata['uid'] },
      },
      nbf: now,
      sub: 'system:serviceaccount:default:default',
    });
  });

  test('for too short or too long a time is refused', async () => {
    const harness = await AccessHarness.open();
    const { code, body } = await harness.requestToken({ expirationSeconds: 599 });
    expect(code).toBe(422);
    expect(body.message).toBe(
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: ' +
        '599: may not specify a duration less than 10 minutes',
    );
    const long = await harness.requestToken({ expirationSeconds: 2 ** 32 + 1 });
    expect(long.body.message).toMatch(/may not specify a duration larger than 2\^32 seconds$/);
    expect((await harness.requestToken({ expirationSeconds: 2 ** 32 })).code).toBe(201);
  });

  test('for a missing account, or another one, is refused', async () => {
    const harness = await AccessHarness.open();
    expect((await harness.requestToken({}, 'unknown')).body.message).toBe(
      'serviceaccounts "unknown" not found',
    );
    const ask = async (metadata: JsonObject): Promise<string> =>
      (await harness.admin('POST', `${ACCOUNTS}/default/token`, { metadata, spec: {} })).body
        .message;
    expect(await ask({ name: 'other' })).toBe(
      'TokenRequest.authentication.k8s.io "default" is invalid: metadata.name: Invalid value: ' +
        '"other": must match the service account name if specified',
    );
    expect(await ask({ uid: 'u' })).toMatch(
      /^Operation cannot be fulfilled on TokenRequest\.authentication\.k8s\.io "default": the UID in the token request \(u\) does not match the UID of the service account/,
    );
  });

  test('bound to a pod names the pod and its node', async () => {
    const harness = await AccessHarness.open();
    const pod = await createPod(harness);
    const { uid } = pod.body.metadata;
    const token = tokenOf(await harness.requestToken(boundTo('Pod', 'web', textOf(uid))));
    expect(claimsOf(token)['kubernetes.io']).toMatchObject({
      pod: { name: 'web', uid },
      node: { name: 'n1' },
    });
    expect((await who(harness, token)).body.status['userInfo']).toMatchObject({
      username: 'system:serviceaccount:default:default',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      extra: {
        'authentication.kubernetes.io/credential-id': [`JTI=${textOf(claimsOf(token)['jti'])}`],
        'authentication.kubernetes.io/node-name': ['n1'],
        'authentication.kubernetes.io/pod-name': ['web'],
        'authentication.kubernetes.io/pod-uid': [uid],
      },
    });
  });

  test('bound to an object that does not fit is refused', async () => {
    const harness = await AccessHarness.open();
    await createPod(harness);
    await harness.admin('POST', ACCOUNTS, { metadata: { name: 'other' } });
    const ask = async (spec: JsonObject, account?: string): Promise<readonly [number, string]> => {
      const { code, body } = await harness.requestToken(spec, account);
      return [code, body.message];
    };
    expect(await ask(boundTo('Pod', 'gone'))).toEqual([404, 'pods "gone" not found']);
    expect(await ask(boundTo('Pod', 'web', 'wrong'))).toEqual([
      409,
      'Operation cannot be fulfilled on Pod "web": the UID in the bound object reference (wrong) ' +
        'does not match the UID in record. The object might have been deleted and then recreated',
    ]);
    expect(await ask(boundTo('Pod', 'web'), 'other')).toEqual([
      400,
      'cannot bind token for serviceaccount "other" to pod running with different serviceaccount name.',
    ]);
    expect(await ask(boundTo('ConfigMap', 'x'))).toEqual([
      400,
      'cannot bind token to object of type /v1, Kind=ConfigMap',
    ]);
  });

  test('for the projected volume of a pod lives a year, with a warning after an hour', async () => {
    const harness = await AccessHarness.open();
    await createPod(harness);
    const request = { ...boundTo('Pod', 'web'), expirationSeconds: 3607 };
    const { body } = await harness.requestToken(request);
    const claims = claimsOf(textOf(body.status['token']));
    const issued = Number(claims['iat']);
    expect(claims['exp']).toBe(issued + 365 * 24 * 60 * 60);
    expect(claims['kubernetes.io']).toMatchObject({ warnafter: issued + 3607 });
    expect(body.status['expirationTimestamp']).toBe('2030-01-02T04:04:12Z');
    const elsewhere = await harness.requestToken({ ...request, audiences: ['vault'] });
    expect(claimsOf(tokenOf(elsewhere))['exp']).toBe(issued + 3607);
  });
});

describe('a token is valid', () => {
  test('until a minute after it expires', async () => {
    const harness = await AccessHarness.open();
    const token = tokenOf(await harness.requestToken());
    await harness.clock.pass(HOUR_MS + 60_000);
    expect((await who(harness, token)).code).toBe(201);
    await harness.clock.pass(1000);
    expect((await who(harness, token)).code).toBe(401);
    expect(await review(harness, token)).toEqual({
      user: {},
      error: '[invalid bearer token, service account token has expired]',
    });
  });

  test('for its audiences', async () => {
    const harness = await AccessHarness.open();
    const token = tokenOf(await harness.requestToken({ audiences: ['vault', 'other'] }));
    expect((await who(harness, token)).code).toBe(401);
    expect(await review(harness, token)).toEqual({
      user: {},
      error:
        '[invalid bearer token, token audiences ["vault" "other"] is invalid for the target ' +
        `audiences ["${ISSUER}"]]`,
    });
    expect(await review(harness, token, ['vault', 'unknown'])).toMatchObject({
      authenticated: true,
      audiences: ['vault'],
      user: { username: 'system:serviceaccount:default:default' },
    });
  });

  test('as long as its account is the same', async () => {
    const harness = await AccessHarness.open();
    const token = tokenOf(await harness.requestToken());
    await harness.admin('DELETE', `${ACCOUNTS}/default`);
    expect(await review(harness, token)).toMatchObject({
      error: '[invalid bearer token, serviceaccounts "default" not found]',
    });
    await harness.admin('POST', ACCOUNTS, { metadata: { name: 'default' } });
    expect((await review(harness, token))['error']).toMatch(
      /service account UID \(.+\) does not match claim \(.+\)\]$/,
    );
    expect((await who(harness, token)).code).toBe(401);
  });

  test('as long as its bound pod exists', async () => {
    const harness = await AccessHarness.open();
    await createPod(harness);
    const token = tokenOf(await harness.requestToken(boundTo('Pod', 'web')));
    expect((await who(harness, token)).code).toBe(201);
    await harness.admin('DELETE', `${PODS}/web?gracePeriodSeconds=0`);
    expect((await review(harness, token))['error']).toBe(
      '[invalid bearer token, service account token has been invalidated]',
    );
    await createPod(harness);
    expect((await review(harness, token))['error']).toMatch(
      /pod UID \(.+\) does not match service account pod ref claim \(.+\)\]$/,
    );
  });

  test('as long as its bound secret or node exists', async () => {
    const harness = await AccessHarness.open();
    await harness.admin('POST', '/api/v1/nodes', { metadata: { name: 'n1' } });
    await harness.admin('POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 's' } });
    const bySecret = tokenOf(await harness.requestToken(boundTo('Secret', 's')));
    const byNode = tokenOf(await harness.requestToken(boundTo('Node', 'n1')));
    expect((await who(harness, byNode)).body.status['userInfo']).toMatchObject({
      extra: { 'authentication.kubernetes.io/node-name': ['n1'] },
    });
    expect((await who(harness, bySecret)).code).toBe(201);
    await harness.admin('DELETE', '/api/v1/namespaces/default/secrets/s');
    await harness.admin('DELETE', '/api/v1/nodes/n1');
    expect((await who(harness, bySecret)).code).toBe(401);
    expect((await who(harness, byNode)).code).toBe(401);
  });

  test('only with our key and our issuer, and not if it is missing', async () => {
    const harness = await AccessHarness.open();
    const token = tokenOf(await harness.requestToken());
    const [head, body = ''] = token.split('.');
    expect((await review(harness, `${head}.${body}.${'A'.repeat(86)}`))['error']).toBeTruthy();
    const other = Buffer.from(JSON.stringify({ ...claimsOf(token), iss: 'https://x' }));
    const foreign = `${head}.${other.toString('base64url')}.${'A'.repeat(86)}`;
    for (const text of ['nonsense', foreign]) {
      expect(await review(harness, text)).toEqual({ user: {}, error: 'invalid bearer token' });
    }
    const { body: refused } = await harness.admin('POST', REVIEWS, { spec: {} });
    expect(refused.message).toBe('token is required for TokenReview in authentication');
  });
});

describe('a token in a secret', () => {
  async function keep(harness: AccessHarness): Promise<string> {
    const account = await harness.admin('GET', `${ACCOUNTS}/default`);
    const secret = { metadata: { name: 'kept', namespace: 'default' } };
    const token = harness.access.makeSecretToken(account.body, secret);
    await harness.admin('POST', '/api/v1/namespaces/default/secrets', {
      metadata: {
        name: 'kept',
        annotations: { 'kubernetes.io/service-account.name': 'default' },
      },
      type: 'kubernetes.io/service-account-token',
      data: { token: Buffer.from(token).toString('base64') },
    });
    return token;
  }

  test('does not expire', async () => {
    const harness = await AccessHarness.open();
    const token = await keep(harness);
    await harness.clock.pass(10_000 * HOUR_MS);
    expect((await who(harness, token)).body.status['userInfo']).toMatchObject({
      username: 'system:serviceaccount:default:default',
    });
    expect(claimsOf(token)).toMatchObject({
      iss: 'kubernetes/serviceaccount',
      'kubernetes.io/serviceaccount/namespace': 'default',
      'kubernetes.io/serviceaccount/secret.name': 'kept',
      'kubernetes.io/serviceaccount/service-account.name': 'default',
      sub: 'system:serviceaccount:default:default',
    });
  });

  test('is invalid once the secret is deleted, has another token, or is marked invalid', async () => {
    const harness = await AccessHarness.open();
    const token = await keep(harness);
    const path = '/api/v1/namespaces/default/secrets/kept';
    const { body } = await harness.admin('GET', path);
    const label = { 'kubernetes.io/legacy-token-invalid-since': '2030-01-01' };
    await harness.admin('PUT', path, { ...body, metadata: { ...body.metadata, labels: label } });
    expect((await review(harness, token))['error']).toMatch(
      /the token in secret default\/kept for service account default\/default has been marked invalid\./,
    );
    await harness.admin('PUT', path, {
      ...body,
      metadata: { ...body.metadata, resourceVersion: '' },
      data: { token: 'eA==' },
    });
    expect((await review(harness, token))['error']).toMatch(
      /Token does not match server's copy\]$/,
    );
    await harness.admin('DELETE', path);
    expect((await review(harness, token))['error']).toMatch(/Token has been invalidated\]$/);
  });
});

test('the keys that verify tokens are published', async () => {
  const harness = await AccessHarness.open();
  const token = tokenOf(await harness.requestToken());
  const headers = { authorization: `Bearer ${token}` };
  const path = '/.well-known/openid-configuration';
  const response = await harness.fetch('GET', path, undefined, headers);
  expect(response.headers.get('cache-control')).toBe('public, max-age=3600');
  expect(await response.json()).toEqual({
    issuer: ISSUER,
    jwks_uri: 'https://podkeep/openid/v1/jwks',
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  });
  const keys = await harness.fetch('GET', '/openid/v1/jwks', undefined, headers);
  expect(keys.headers.get('content-type')).toBe('application/jwk-set+json');
  const { kid } = JSON.parse(
    Buffer.from(token.split('.')[0] ?? '', 'base64url').toString(),
  ) as JsonObject;
  expect(await keys.json()).toMatchObject({ keys: [{ kid, alg: 'ES256', kty: 'EC' }] });
});
