/** What the paths of a kind protect: other namespaces, and the cluster from roles in one namespace. */
import { expect, it } from 'vitest';
import { objectsAt } from '../../src/apiserver/objects/field-path.ts';
import { AccessHarness, clusterRole, RBAC } from './access-harness.ts';

const MAPS = '/api/v1/configmaps';
const NOT_ALLOWED = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'the server does not allow this method on the requested resource',
  reason: 'MethodNotAllowed',
  details: {},
  code: 405,
};

it('a delete for all namespaces at once is refused, and deletes nothing', async () => {
  const harness = await AccessHarness.open();
  for (const namespace of ['default', 'other']) {
    const body = { metadata: { name: 'a' } };
    await harness.admin('POST', `/api/v1/namespaces/${namespace}/configmaps`, body);
  }
  expect(await harness.admin('DELETE', MAPS)).toEqual({ code: 405, body: NOT_ALLOWED });
  expect(objectsAt((await harness.admin('GET', MAPS)).body, 'items')).toHaveLength(2);
});

it.each(['nodes', 'namespaces', 'persistentvolumes', 'nodes/a', 'nodes/a/proxy/'])(
  'a role in one namespace does not reach %s through a path of that namespace',
  async (path) => {
    const harness = await AccessHarness.open();
    await harness.admin('POST', '/api/v1/nodes', { metadata: { name: 'a' } });
    await harness.admin('POST', `${RBAC}/namespaces/default/rolebindings`, {
      metadata: { name: 'mina' },
      roleRef: clusterRole('cluster-admin'),
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'mina' }],
    });
    const answer = await harness.as('mina', 'GET', `/api/v1/namespaces/default/${path}`);
    expect(answer).toMatchObject({ code: 404, body: { reason: 'NotFound', details: {} } });
  },
);

it('whether a path serves a method is not answered to users who may not use it', async () => {
  const harness = await AccessHarness.open();
  for (const [method, path] of [
    ['DELETE', MAPS],
    ['PUT', '/api/v1/namespaces/default/configmaps'],
    ['POST', '/api/v1/namespaces/default/configmaps/a'],
  ] as const) {
    expect((await harness.as('mina', method, path, {})).code).toBe(403);
  }
});
