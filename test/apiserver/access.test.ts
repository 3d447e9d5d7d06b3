import { describe, expect, test } from 'vitest';

import { MASTER } from '../../src/apiserver/access.ts';
import { createPki, issueClientCertificate } from '../../src/apiserver/pki/pki.ts';
import { readPem } from '../../src/lib/x509/pem.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import { AccessStage, ADMIN_TOKEN, clusterRole, PODS, RBAC } from './access-stage.ts';

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

describe('who asks', () => {
  test('nobody sees that the server is alive, and its version, and nothing else', async () => {
    const stage = await AccessStage.open();
    for (const path of ['/healthz', '/livez', '/readyz', '/version']) {
      expect((await stage.send('GET', path)).code, path).toBe(200);
    }
    for (const path of ['/api', '/apis', '/api/v1/pods', '/openid/v1/jwks', '/livez/ping', '/']) {
      expect(await stage.send('GET', path), path).toEqual({ code: 401, body: UNAUTHORIZED });
    }
  });

  test('wrong credentials are refused even where none are needed', async () => {
    const stage = await AccessStage.open();
    for (const path of ['/healthz', '/api/v1/pods']) {
      expect((await stage.send('GET', path, undefined, bearer('wrong'))).body).toEqual(
        UNAUTHORIZED,
      );
    }
    // A scheme that nobody knows is no credential.
    expect(
      (await stage.send('GET', '/healthz', undefined, { authorization: 'Basic eA==' })).code,
    ).toBe(200);
  });

  test('the admin token opens everything, whatever the case of its scheme', async () => {
    const stage = await AccessStage.open();
    const headers = { authorization: `bEARER ${ADMIN_TOKEN}` };
    expect((await stage.send('GET', '/api/v1/pods', undefined, headers)).code).toBe(200);
    const almost = bearer(ADMIN_TOKEN.slice(0, -1));
    expect((await stage.send('GET', '/api/v1/pods', undefined, almost)).code).toBe(401);
  });

  test('a certificate names the user and its groups, until it expires', async () => {
    const stage = await AccessStage.open();
    const options = { clock: stage.clock, random: seededRandom(1) };
    const { caCert: cert, caKey: key } = await createPki(options);
    const subject = { commonName: 'jane', organizations: ['dev', 'ops'] };
    const client = await issueClientCertificate({ cert, key }, subject, options);
    const certificate = readPem('CERTIFICATE', client.cert);
    const review = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const { code, body } = await stage.send('POST', review, {}, {}, { certificate });
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
    await stage.clock.pass(366 * 24 * 60 * 60 * 1000);
    expect((await stage.send('POST', review, {}, {}, { certificate })).body).toEqual(UNAUTHORIZED);
    expect((await stage.send('GET', '/healthz', undefined, {}, { certificate })).code).toBe(401);
  });

  test('bytes that are no certificate are nobody', async () => {
    const stage = await AccessStage.open();
    const certificate = Buffer.from('300x', 'latin1');
    expect((await stage.send('GET', '/api', undefined, {}, { certificate })).code).toBe(401);
  });
});

describe('who may', () => {
  test('whoever is bound to nothing may look at what the server offers, and no more', async () => {
    const stage = await AccessStage.open();
    expect((await stage.as('jane', 'GET', '/apis')).code).toBe(200);
    expect((await stage.as('jane', 'GET', '/version')).code).toBe(200);
    expect((await stage.as('jane', 'GET', `${PODS}/web`)).body).toEqual({
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
    expect((await stage.as('jane', 'GET', '/metrics')).body.message).toBe(
      'forbidden: User "jane" cannot get path "/metrics"',
    );
  });

  test('a binding counts as soon as it is acknowledged, and no longer than it is there', async () => {
    const stage = await AccessStage.open();
    const bindings = `${RBAC}/namespaces/default/rolebindings`;
    const binding = {
      metadata: { name: 'jane-views' },
      roleRef: clusterRole('view'),
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'jane' }],
    };
    expect((await stage.admin('POST', bindings, binding)).code).toBe(201);
    expect((await stage.as('jane', 'GET', PODS)).code).toBe(200);
    expect((await stage.as('jane', 'GET', '/api/v1/pods')).code).toBe(403);
    expect((await stage.as('jane', 'GET', '/api/v1/namespaces/other/pods')).code).toBe(403);
    expect((await stage.as('jane', 'GET', '/api/v1/namespaces/default/secrets')).code).toBe(403);
    expect((await stage.as('jane', 'GET', '/api/v1/namespaces/default')).code).toBe(200);
    await stage.admin('DELETE', `${bindings}/jane-views`);
    expect((await stage.as('jane', 'GET', PODS)).code).toBe(403);
  });

  test('a binding to a role that is not there says so', async () => {
    const stage = await AccessStage.open();
    const subjects = [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'dev' }];
    for (const name of ['gone', 'also-gone']) {
      const binding = { metadata: { name }, roleRef: clusterRole(name), subjects };
      await stage.admin('POST', `${RBAC}/clusterrolebindings`, binding);
    }
    const jane = { name: 'jane', groups: ['dev'] };
    expect((await stage.as(jane, 'GET', '/api/v1/nodes')).body.message).toBe(
      'nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the ' +
        'cluster scope: RBAC: [clusterrole.rbac.authorization.k8s.io "also-gone" not found, ' +
        'clusterrole.rbac.authorization.k8s.io "gone" not found]',
    );
  });

  test('members of system:masters need no role at all', async () => {
    const stage = new AccessStage('RBAC');
    expect((await stage.as(MASTER, 'GET', '/api/v1/nodes')).code).toBe(200);
    expect((await stage.as('jane', 'GET', '/api/v1/nodes')).code).toBe(403);
  });

  test('in the mode AlwaysAllow everybody may do everything, once they have said who they are', async () => {
    const stage = await AccessStage.open('AlwaysAllow');
    expect((await stage.as('jane', 'GET', '/api/v1/nodes')).code).toBe(200);
    expect((await stage.send('GET', '/api/v1/nodes')).code).toBe(401);
    const role = { metadata: { name: 'all' }, rules: [{ verbs: ['*'], nonResourceURLs: ['*'] }] };
    expect((await stage.as('jane', 'POST', `${RBAC}/clusterroles`, role)).code).toBe(201);
  });
});

describe('acting as somebody else', () => {
  const as = (name: string, more: Readonly<Record<string, string>> = {}) => ({
    ...bearer(ADMIN_TOKEN),
    'impersonate-user': name,
    ...more,
  });
  const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

  test('an admin may, and then has no more rights than they have', async () => {
    const stage = await AccessStage.open();
    expect((await stage.send('GET', PODS, undefined, as('jane'))).code).toBe(403);
    const headers = as('jane', {
      'impersonate-group': 'dev, ops',
      'impersonate-uid': '42',
      'impersonate-extra-example.com%2fteam': 'red',
    });
    expect((await stage.send('POST', WHO, {}, headers)).body.status).toEqual({
      userInfo: {
        username: 'jane',
        uid: '42',
        groups: ['dev', 'ops', 'system:authenticated'],
        extra: { 'example.com/team': ['red'] },
      },
    });
  });

  test('service accounts and anonymous users come with their groups', async () => {
    const stage = await AccessStage.open();
    const account = 'system:serviceaccount:default:builder';
    const groupsOf = async (name: string): Promise<unknown> => {
      const { body } = await stage.send('POST', WHO, {}, as(name));
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

  test('whoever is not allowed to is told what was missing first', async () => {
    const stage = await AccessStage.open();
    const jane = { user: { name: 'jane', groups: [] } };
    const tryAs = async (name: string): Promise<string> =>
      (await stage.send('GET', PODS, undefined, { 'impersonate-user': name }, jane)).body.message;
    const where = 'resource "pods" in API group "" in the namespace "default"';
    expect(await tryAs('bob')).toBe(
      `pods is forbidden: User "jane" cannot impersonate-on:user-info:list ${where}`,
    );
    expect(await tryAs('system:node:n1')).toBe(
      `pods is forbidden: User "jane" cannot impersonate-on:arbitrary-node:list ${where}`,
    );
  });

  test('the verb impersonate allows each thing that is taken over', async () => {
    const stage = await AccessStage.open();
    await stage.allow('jane', {
      verbs: ['impersonate'],
      apiGroups: [''],
      resources: ['users', 'groups'],
      resourceNames: ['bob', 'dev'],
    });
    const jane = { user: { name: 'jane', groups: [] } };
    const who = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await stage.send('POST', WHO, {}, headers, jane)).code;
    expect(await who({ 'impersonate-user': 'bob', 'impersonate-group': 'dev' })).toBe(201);
    expect(await who({ 'impersonate-user': 'alice' })).toBe(403);
    expect(await who({ 'impersonate-user': 'bob', 'impersonate-group': 'dev, ops' })).toBe(403);
    expect(await who({ 'impersonate-user': 'bob', 'impersonate-uid': '1' })).toBe(403);
  });

  test('somebody may be allowed to act as another for one purpose only', async () => {
    const stage = await AccessStage.open();
    await stage.allow('bob', { verbs: ['list', 'get'], apiGroups: [''], resources: ['pods'] });
    await stage.allow(
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
    expect((await stage.send('GET', PODS, undefined, bob, jane)).code).toBe(200);
    expect((await stage.send('GET', `${PODS}/web`, undefined, bob, jane)).code).toBe(403);
  });

  test('nobody is allowed to act as a master in such a way', async () => {
    const stage = await AccessStage.open();
    await stage.allow(
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
    const { code, body } = await stage.send('GET', PODS, undefined, headers, jane);
    expect([code, body.message]).toEqual([
      403,
      'groups.authentication.k8s.io "system:masters" is forbidden: User "jane" cannot ' +
        'impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the ' +
        'cluster scope: impersonating the system:masters group is not allowed',
    ]);
  });

  test('groups without a user make no sense', async () => {
    const stage = await AccessStage.open();
    const headers = { ...bearer(ADMIN_TOKEN), 'impersonate-group': 'dev' };
    expect((await stage.send('GET', PODS, undefined, headers)).body).toMatchObject({
      code: 400,
      message:
        'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"dev"}, ' +
        'Extra:map[string][]string(nil)} without impersonating a user name',
    });
  });
});
