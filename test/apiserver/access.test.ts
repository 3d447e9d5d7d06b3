import { describe, expect, test } from 'vitest';

import { MASTER } from '../../src/apiserver/objects/access.ts';
import { createPki, issueClientCertificate } from '../../src/apiserver/pki/pki.ts';
import { readPem } from '../../src/lib/x509/pem.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import { AccessHarness, ADMIN_TOKEN, clusterRole, PODS, RBAC } from './access-harness.ts';

const UNAUTHORIZED = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'Unauthorized',
  reason: 'Unauthorized',
  code: 401,
};

const bearer = (token: string): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${token}`,
});

describe('authentication', () => {
  test('anonymous clients see health and version, and nothing else', async () => {
    const harness = await AccessHarness.open();
    for (const path of ['/healthz', '/livez', '/readyz', '/version']) {
      expect((await harness.send('GET', path)).code, path).toBe(200);
    }
    for (const path of ['/api', '/apis', '/api/v1/pods', '/openid/v1/jwks', '/livez/ping', '/']) {
      expect(await harness.send('GET', path), path).toEqual({ code: 401, body: UNAUTHORIZED });
    }
  });

  test('wrong credentials are refused even where none are needed', async () => {
    const harness = await AccessHarness.open();
    for (const path of ['/healthz', '/api/v1/pods']) {
      expect((await harness.send('GET', path, undefined, bearer('wrong'))).body).toEqual(
        UNAUTHORIZED,
      );
    }
    // An unknown scheme is no credential.
    expect(
      (await harness.send('GET', '/healthz', undefined, { authorization: 'Basic eA==' })).code,
    ).toBe(200);
  });

  test('the admin token has all rights, whatever the case of its scheme', async () => {
    const harness = await AccessHarness.open();
    const headers = { authorization: `bEARER ${ADMIN_TOKEN}` };
    expect((await harness.send('GET', '/api/v1/pods', undefined, headers)).code).toBe(200);
    const almost = bearer(ADMIN_TOKEN.slice(0, -1));
    expect((await harness.send('GET', '/api/v1/pods', undefined, almost)).code).toBe(401);
  });

  test('a certificate names the user and its groups, until it expires', async () => {
    const harness = await AccessHarness.open();
    const options = { clock: harness.clock, random: seededRandom(1) };
    const { caCert: cert, caKey: key } = await createPki(options);
    const subject = { commonName: 'jane', organizations: ['dev', 'ops'] };
    const client = await issueClientCertificate({ cert, key }, subject, options);
    const certificate = readPem('CERTIFICATE', client.cert);
    const review = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const { code, body } = await harness.send('POST', review, {}, {}, { certificate });
    expect(code).toBe(201);
    expect(body.status).toEqual({
      userInfo: {
        username: 'jane',
        groups: ['dev', 'ops', 'system:authenticated'],
        extra: {
          'authentication.kubernetes.io/credential-id': [
            expect.stringMatching(/^X509SHA256=[0-9a-f]{64}$/),
          ],
        },
      },
    });
    await harness.clock.pass(366 * 24 * 60 * 60 * 1000);
    expect((await harness.send('POST', review, {}, {}, { certificate })).body).toEqual(
      UNAUTHORIZED,
    );
    expect((await harness.send('GET', '/healthz', undefined, {}, { certificate })).code).toBe(401);
  });

  test('bytes that are no certificate are anonymous', async () => {
    const harness = await AccessHarness.open();
    const certificate = Buffer.from('300x', 'latin1');
    expect((await harness.send('GET', '/api', undefined, {}, { certificate })).code).toBe(401);
  });
});

describe('authorization', () => {
  test('a user without a binding may read discovery, and no more', async () => {
    const harness = await AccessHarness.open();
    expect((await harness.as('jane', 'GET', '/apis')).code).toBe(200);
    expect((await harness.as('jane', 'GET', '/version')).code).toBe(200);
    expect((await harness.as('jane', 'GET', `${PODS}/web`)).body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message:
        'pods "web" is forbidden: User "jane" cannot get resource "pods" in API group "" ' +
        'in the namespace "default"',
      reason: 'Forbidden',
      details: { name: 'web', kind: 'pods' },
      code: 403,
    });
    expect((await harness.as('jane', 'GET', '/metrics')).body.message).toBe(
      'forbidden: User "jane" cannot get path "/metrics"',
    );
  });

  test('a binding applies as soon as it is acknowledged, and until it is deleted', async () => {
    const harness = await AccessHarness.open();
    const bindings = `${RBAC}/namespaces/default/rolebindings`;
    const binding = {
      metadata: { name: 'jane-views' },
      roleRef: clusterRole('view'),
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'jane' }],
    };
    expect((await harness.admin('POST', bindings, binding)).code).toBe(201);
    expect((await harness.as('jane', 'GET', PODS)).code).toBe(200);
    expect((await harness.as('jane', 'GET', '/api/v1/pods')).code).toBe(403);
    expect((await harness.as('jane', 'GET', '/api/v1/namespaces/other/pods')).code).toBe(403);
    expect((await harness.as('jane', 'GET', '/api/v1/namespaces/default/secrets')).code).toBe(403);
    expect((await harness.as('jane', 'GET', '/api/v1/namespaces/default')).code).toBe(200);
    await harness.admin('DELETE', `${bindings}/jane-views`);
    expect((await harness.as('jane', 'GET', PODS)).code).toBe(403);
  });

  test('a binding to a missing role is reported', async () => {
    const harness = await AccessHarness.open();
    const subjects = [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'dev' }];
    for (const name of ['gone', 'also-gone']) {
      const binding = { metadata: { name }, roleRef: clusterRole(name), subjects };
      await harness.admin('POST', `${RBAC}/clusterrolebindings`, binding);
    }
    const jane = { name: 'jane', groups: ['dev'] };
    expect((await harness.as(jane, 'GET', '/api/v1/nodes')).body.message).toBe(
      'nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the ' +
        'cluster scope: RBAC: [clusterrole.rbac.authorization.k8s.io "also-gone" not found, ' +
        'clusterrole.rbac.authorization.k8s.io "gone" not found]',
    );
  });

  test('members of system:masters need no role', async () => {
    const harness = new AccessHarness('RBAC');
    expect((await harness.as(MASTER, 'GET', '/api/v1/nodes')).code).toBe(200);
    expect((await harness.as('jane', 'GET', '/api/v1/nodes')).code).toBe(403);
  });

  test('in the mode AlwaysAllow every authenticated user may do everything', async () => {
    const harness = await AccessHarness.open('AlwaysAllow');
    expect((await harness.as('jane', 'GET', '/api/v1/nodes')).code).toBe(200);
    expect((await harness.send('GET', '/api/v1/nodes')).code).toBe(401);
    const role = { metadata: { name: 'all' }, rules: [{ verbs: ['*'], nonResourceURLs: ['*'] }] };
    expect((await harness.as('jane', 'POST', `${RBAC}/clusterroles`, role)).code).toBe(201);
  });
});

describe('impersonation', () => {
  const as = (name: string, more: Readonly<Record<string, string>> = {}) => ({
    ...bearer(ADMIN_TOKEN),
    'impersonate-user': name,
    ...more,
  });
  const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

  test('an admin may, and then has no more rights than the impersonated user', async () => {
    const harness = await AccessHarness.open();
    expect((await harness.send('GET', PODS, undefined, as('jane'))).code).toBe(403);
    const headers = as('jane', {
      'impersonate-group': 'dev, ops',
      'impersonate-uid': '42',
      'impersonate-extra-example.com%2fteam': 'red',
    });
    expect((await harness.send('POST', WHO, {}, headers)).body.status).toEqual({
      userInfo: {
        username: 'jane',
        uid: '42',
        groups: ['dev', 'ops', 'system:authenticated'],
        extra: { 'example.com/team': ['red'] },
      },
    });
  });

  test('impersonated service accounts and anonymous users get their groups', async () => {
    const harness = await AccessHarness.open();
    const account = 'system:serviceaccount:default:builder';
    const groupsOf = async (name: string): Promise<unknown> => {
      const { body } = await harness.send('POST', WHO, {}, as(name));
      return (body.status['userInfo'] as { groups: unknown } | undefined)?.groups ?? body.message;
    };
    expect(await groupsOf(account)).toEqual([
      'system:serviceaccounts',
      'system:serviceaccounts:default',
      'system:authenticated',
    ]);
    expect(await groupsOf('system:node:n1')).toEqual(['system:nodes', 'system:authenticated']);
    expect(await groupsOf('system:anonymous')).toMatch(/^selfsubjectreviews.*is forbidden/);
  });

  test('a user who may not is refused with the first missing permission', async () => {
    const harness = await AccessHarness.open();
    const jane = { user: { name: 'jane', groups: [] } };
    const tryAs = async (name: string): Promise<string> =>
      (await harness.send('GET', PODS, undefined, { 'impersonate-user': name }, jane)).body.message;
    const where = 'resource "pods" in API group "" in the namespace "default"';
    expect(await tryAs('bob')).toBe(
      `pods is forbidden: User "jane" cannot impersonate-on:user-info:list ${where}`,
    );
    expect(await tryAs('system:node:n1')).toBe(
      `pods is forbidden: User "jane" cannot impersonate-on:arbitrary-node:list ${where}`,
    );
  });

  test('the verb impersonate allows each impersonated attribute', async () => {
    const harness = await AccessHarness.open();
    await harness.allow('jane', {
      verbs: ['impersonate'],
      apiGroups: [''],
      resources: ['users', 'groups'],
      resourceNames: ['bob', 'dev'],
    });
    const jane = { user: { name: 'jane', groups: [] } };
    const who = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await harness.send('POST', WHO, {}, headers, jane)).code;
    expect(await who({ 'impersonate-user': 'bob', 'impersonate-group': 'dev' })).toBe(201);
    expect(await who({ 'impersonate-user': 'alice' })).toBe(403);
    expect(await who({ 'impersonate-user': 'bob', 'impersonate-group': 'dev, ops' })).toBe(403);
    expect(await who({ 'impersonate-user': 'bob', 'impersonate-uid': '1' })).toBe(403);
  });

  test('a user may be allowed to impersonate another for one action only', async () => {
    const harness = await AccessHarness.open();
    await harness.allow('bob', { verbs: ['list', 'get'], apiGroups: [''], resources: ['pods'] });
    await harness.allow(
      'jane',
      {
        verbs: ['impersonate:user-info'],
        apiGroups: ['authentication.k8s.io'],
        resources: ['users'],
        resourceNames: ['bob'],
      },
      { verbs: ['impersonate-on:user-info:list'], apiGroups: [''], resources: ['pods'] },
    );
    const jane = { user: { name: 'jane', groups: [] } };
    const bob = { 'impersonate-user': 'bob' };
    expect((await harness.send('GET', PODS, undefined, bob, jane)).code).toBe(200);
    expect((await harness.send('GET', `${PODS}/web`, undefined, bob, jane)).code).toBe(403);
  });

  test('system:masters cannot be impersonated in such a way', async () => {
    const harness = await AccessHarness.open();
    await harness.allow(
      'jane',
      {
        verbs: ['impersonate:user-info'],
        apiGroups: ['authentication.k8s.io'],
        resources: ['users', 'groups'],
      },
      { verbs: ['impersonate-on:user-info:list'], apiGroups: [''], resources: ['pods'] },
    );
    const jane = { user: { name: 'jane', groups: [] } };
    const headers = { 'impersonate-user': 'bob', 'impersonate-group': 'system:masters' };
    const { code, body } = await harness.send('GET', PODS, undefined, headers, jane);
    expect([code, body.message]).toEqual([
      403,
      'groups.authentication.k8s.io "system:masters" is forbidden: User "jane" cannot ' +
        'impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the ' +
        'cluster scope: impersonating the system:masters group is not allowed',
    ]);
  });

  test('groups without a user are refused', async () => {
    const harness = await AccessHarness.open();
    const headers = { ...bearer(ADMIN_TOKEN), 'impersonate-group': 'dev' };
    expect((await harness.send('GET', PODS, undefined, headers)).body).toMatchObject({
      code: 400,
      message:
        'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"dev"}, ' +
        'Extra:map[string][]string(nil)} without impersonating a user name',
    });
  });
});
