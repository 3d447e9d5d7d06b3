import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../src/lib/json.ts';
import { AccessHarness, type Answer } from './access-harness.ts';

const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
const SUBJECT = `${AUTHORIZATION}/subjectaccessreviews`;
const SELF = `${AUTHORIZATION}/selfsubjectaccessreviews`;
const RULES = `${AUTHORIZATION}/selfsubjectrulesreviews`;
const local = (namespace: string): string =>
  `${AUTHORIZATION}/namespaces/${namespace}/localsubjectaccessreviews`;

const pods = (verb: string, namespace = 'default'): JsonObject => ({
  resourceAttributes: { verb, resource: 'pods', namespace },
});

async function openFor(user: string): Promise<AccessHarness> {
  const harness = await AccessHarness.open();
  await harness.allow(user, { verbs: ['get'], apiGroups: [''], resources: ['pods'] });
  return harness;
}

describe('a SubjectAccessReview', () => {
  test('is answered with the reason', async () => {
    const harness = await openFor('jane');
    const ask = (spec: JsonObject): Promise<Answer> => harness.admin('POST', SUBJECT, { spec });
    const { code, body } = await ask({ user: 'jane', ...pods('get') });
    expect(code).toBe(201);
    expect(body).toEqual({
      kind: 'SubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1',
      metadata: {},
      spec: { user: 'jane', ...pods('get') },
      status: {
        allowed: true,
        reason:
          'RBAC: allowed by ClusterRoleBinding "of-jane" of ClusterRole "of-jane" to User "jane"',
      },
    });
    expect((await ask({ user: 'jane', ...pods('list') })).body.status).toEqual({ allowed: false });
    const path = { nonResourceAttributes: { verb: 'get', path: '/healthz' } };
    const groups = ['system:authenticated'];
    expect((await ask({ groups, ...path })).body.status).toEqual({
      allowed: true,
      reason:
        'RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole ' +
        '"system:discovery" to Group "system:authenticated"',
    });
  });

  test('has to be complete', async () => {
    const harness = await AccessHarness.open();
    const report = async (path: string, body: JsonObject): Promise<string> => {
      const answer = await harness.admin('POST', path, body);
      expect(answer.code).toBe(422);
      return answer.body.message;
    };
    const prefix = '.authorization.k8s.io "" is invalid: ';
    expect(await report(SUBJECT, { spec: pods('get') })).toBe(
      `${prefix}spec.user: Invalid value: "": at least one of user or group must be specified`,
    );
    expect(await report(SELF, { spec: {} })).toBe(
      `${prefix}spec.resourceAttributes: Invalid value: null: ` +
        'exactly one of nonResourceAttributes or resourceAttributes must be specified',
    );
    const both = { ...pods('get'), nonResourceAttributes: { path: '/x', verb: 'get' } };
    expect(await report(SELF, { spec: both })).toBe(
      `${prefix}spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}: ` +
        'cannot be specified in combination with resourceAttributes',
    );
    expect(await report(SELF, { metadata: { name: 'x' }, spec: pods('get') })).toBe(
      `${prefix}metadata: Invalid value: {"name":"x"}: must be empty`,
    );
    const spec = { user: 'jane', ...pods('get', 'other') };
    expect(await report(local('default'), { spec })).toBe(
      `${prefix}spec.resourceAttributes.namespace: Invalid value: "other": ` +
        'must match metadata.namespace',
    );
    const selector = { resourceAttributes: { verb: 'list', fieldSelector: {} } };
    expect(await report(SELF, { spec: selector })).toBe(
      `${prefix}spec.resourceAttributes.fieldSelector.requirements: Required value: ` +
        'when spec.resourceAttributes.fieldSelector is specified, requirements or rawSelector is required',
    );
  });

  test('about oneself is open to every user, about others only with the permission', async () => {
    const harness = await openFor('jane');
    const jane = { name: 'jane', groups: ['system:authenticated'] };
    expect((await harness.as(jane, 'POST', SELF, { spec: pods('get') })).body.status).toMatchObject(
      {
        allowed: true,
      },
    );
    const about = { spec: { user: 'bob', ...pods('get') } };
    expect((await harness.as(jane, 'POST', SUBJECT, about)).code).toBe(403);
    expect((await harness.as(jane, 'POST', local('default'), about)).code).toBe(403);
  });

  test('in one namespace is about this namespace', async () => {
    const harness = await openFor('jane');
    const spec = { user: 'jane', ...pods('get') };
    expect((await harness.admin('POST', local('default'), { spec })).body).toMatchObject({
      kind: 'LocalSubjectAccessReview',
      metadata: { namespace: 'default' },
      status: { allowed: true },
    });
  });

  test('with an invalid selector ignores it, and reports that', async () => {
    const harness = await openFor('jane');
    const { resourceAttributes } = pods('get') as { resourceAttributes: JsonObject };
    const ask = async (more: JsonObject): Promise<JsonObject> => {
      const spec = { user: 'jane', resourceAttributes: { ...resourceAttributes, ...more } };
      return (await harness.admin('POST', SUBJECT, { spec })).body.status;
    };
    const raw = await ask({ fieldSelector: { rawSelector: 'x' } });
    expect(raw['evaluationError']).toBe(
      'spec.resourceAttributes.fieldSelector ignored due to parse error',
    );
    const requirements = [
      { key: 'a', operator: 'In', values: ['1'] },
      { key: 'b', operator: 'Exists' },
    ];
    expect((await ask({ fieldSelector: { requirements } }))['evaluationError']).toBe(
      'spec.resourceAttributes.fieldSelector partially ignored due to parse error',
    );
    expect(await ask({ labelSelector: { requirements } })).not.toHaveProperty('evaluationError');
  });
});

describe('a SelfSubjectRulesReview', () => {
  test('lists rules of roles and paths', async () => {
    const harness = await openFor('jane');
    const jane = { name: 'jane', groups: ['system:authenticated'] };
    const { code, body } = await harness.as(jane, 'POST', RULES, {
      spec: { namespace: 'default' },
    });
    expect(code).toBe(201);
    expect(body).toMatchObject({
      kind: 'SelfSubjectRulesReview',
      metadata: {},
      spec: {},
      status: { incomplete: false },
    });
    const { resourceRules, nonResourceRules } = body.status as {
      resourceRules: readonly JsonObject[];
      nonResourceRules: readonly JsonObject[];
    };
    expect(resourceRules).toContainEqual({ verbs: ['get'], apiGroups: [''], resources: ['pods'] });
    expect(nonResourceRules.map(({ nonResourceURLs }) => nonResourceURLs)).toContainEqual([
      '/healthz',
      '/livez',
      '/readyz',
      '/version',
      '/version/',
    ]);
  });

  test('needs a namespace, and cannot be listed for kubelets', async () => {
    const harness = await AccessHarness.open();
    const { code, body } = await harness.as('jane', 'POST', RULES, { spec: {} });
    expect([code, body.message]).toEqual([400, 'no namespace on request']);
    const node = await harness.node('n1', 'POST', RULES, { spec: { namespace: 'default' } });
    expect(node.body.status).toMatchObject({
      incomplete: true,
      evaluationError: 'node authorizer does not support user rule resolution',
    });
  });

  test('is everything where everything is allowed', async () => {
    const harness = await AccessHarness.open('AlwaysAllow');
    const { body } = await harness.as('jane', 'POST', RULES, { spec: { namespace: 'x' } });
    expect(body.status).toEqual({
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      incomplete: false,
    });
  });
});

test('discovery has the reviews, and they are never listed', async () => {
  const harness = await AccessHarness.open();
  const { body } = await harness.admin('GET', AUTHORIZATION);
  expect(body['resources']).toMatchObject([
    { name: 'localsubjectaccessreviews', namespaced: true, verbs: ['create'] },
    { name: 'selfsubjectaccessreviews', namespaced: false, verbs: ['create'] },
    { name: 'selfsubjectrulesreviews', namespaced: false, verbs: ['create'] },
    { name: 'subjectaccessreviews', namespaced: false, verbs: ['create'] },
  ]);
  expect((await harness.admin('GET', SUBJECT)).code).toBe(405);
});
