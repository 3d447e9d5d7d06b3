import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../src/lib/json.ts';
import { AccessHarness, clusterRole, RBAC, type Answer } from './access-harness.ts';

const ROLES = `${RBAC}/namespaces/default/roles`;
const BINDINGS = `${RBAC}/namespaces/default/rolebindings`;
const WRITE_RBAC = {
  verbs: ['create', 'update', 'get'],
  apiGroups: ['rbac.authorization.k8s.io'],
  resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
};
const READ_PODS = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };
const JANE = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'jane' }];

const role = (...rules: readonly JsonObject[]): JsonObject => ({ metadata: { name: 'r' }, rules });

async function openForJane(...rules: readonly JsonObject[]): Promise<AccessHarness> {
  const harness = await AccessHarness.open();
  await harness.allow('jane', WRITE_RBAC, ...rules);
  return harness;
}

describe('a user who writes roles', () => {
  test('may grant rights that they have', async () => {
    const harness = await openForJane(READ_PODS);
    expect((await harness.as('jane', 'POST', ROLES, role(READ_PODS))).code).toBe(201);
  });

  test('may not grant more, and is refused with the missing ones', async () => {
    const harness = await openForJane({ ...READ_PODS, verbs: ['get'] });
    const more = { verbs: ['create', 'delete'], apiGroups: ['apps'], resources: ['deployments'] };
    const { code, body } = await harness.as('jane', 'POST', ROLES, role(READ_PODS, more));
    expect(code).toBe(403);
    expect(body.message).toBe(
      'roles.rbac.authorization.k8s.io "r" is forbidden: user "jane" ' +
        '(groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n' +
        '{APIGroups:[""], Resources:["pods"], Verbs:["list"]}\n' +
        '{APIGroups:["apps"], Resources:["deployments"], Verbs:["create" "delete"]}',
    );
  });

  test('may if they are allowed to escalate', async () => {
    const harness = await openForJane({ ...WRITE_RBAC, verbs: ['escalate'], resources: ['roles'] });
    expect((await harness.as('jane', 'POST', ROLES, role(READ_PODS))).code).toBe(201);
  });

  test('may change nothing in a role with more rights than theirs, except its finalizers', async () => {
    const harness = await openForJane();
    const { body } = await harness.admin('POST', ROLES, role(READ_PODS));
    const update = (change: JsonObject): Promise<Answer> =>
      harness.as('jane', 'PUT', `${ROLES}/r`, { ...body, ...change });
    expect((await update({ metadata: { ...body.metadata, labels: { a: 'b' } } })).code).toBe(403);
    const finalizers = ['example.com/wait'];
    expect((await update({ metadata: { ...body.metadata, finalizers } })).code).toBe(200);
  });

  test('needs all rights to create an aggregated role', async () => {
    const harness = await openForJane();
    const gathering = {
      metadata: { name: 'g' },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
    };
    expect((await harness.as('jane', 'POST', `${RBAC}/clusterroles`, gathering)).body.message).toBe(
      'clusterroles.rbac.authorization.k8s.io "g" is forbidden: ' +
        'must have cluster-admin privileges to use the aggregationRule',
    );
    await harness.allow(
      'bob',
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      {
        verbs: ['*'],
        nonResourceURLs: ['*'],
      },
    );
    expect((await harness.as('bob', 'POST', `${RBAC}/clusterroles`, gathering)).code).toBe(201);
  });
});

describe('a user who binds roles', () => {
  const binding = (roleRef: JsonObject): JsonObject => ({
    metadata: { name: 'b' },
    roleRef,
    subjects: JANE,
  });

  test('must have all rights of the role', async () => {
    const harness = await openForJane();
    const { code, body } = await harness.as('jane', 'POST', BINDINGS, binding(clusterRole('view')));
    expect(code).toBe(403);
    expect(body.message).toMatch(
      /^rolebindings\.rbac\.authorization\.k8s\.io "b" is forbidden: user "jane" .*not currently held:\n\{APIGroups/,
    );
    const mine = binding(clusterRole('of-jane'));
    expect((await harness.as('jane', 'POST', BINDINGS, mine)).code).toBe(201);
  });

  test('may if they have the verb bind for this role', async () => {
    const harness = await openForJane({
      verbs: ['bind'],
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['clusterroles'],
      resourceNames: ['view'],
    });
    const bind = (name: string): Promise<Answer> =>
      harness.as('jane', 'POST', BINDINGS, binding(clusterRole(name)));
    expect((await bind('edit')).code).toBe(403);
    expect((await bind('view')).code).toBe(201);
  });

  test('cannot bind a missing role', async () => {
    const harness = await openForJane();
    const { code, body } = await harness.as('jane', 'POST', BINDINGS, binding(clusterRole('gone')));
    expect([code, body.message]).toEqual([
      404,
      'rolebindings.rbac.authorization.k8s.io "gone" not found',
    ]);
    expect((await harness.admin('POST', BINDINGS, binding(clusterRole('gone')))).code).toBe(201);
  });
});
