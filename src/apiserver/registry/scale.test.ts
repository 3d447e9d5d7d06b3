import { describe, expect, it } from 'vitest';
import { ApiRequests, problemsOf, TABLE } from '../../../test/support/api-requests.ts';
import { SAMPLES } from '../../../test/support/kind-samples.ts';
import { metadataOf } from '../objects/metadata.ts';

const PATHS = {
  'apps/v1/deployments': '/apis/apps/v1/namespaces/default/deployments',
  'apps/v1/replicasets': '/apis/apps/v1/namespaces/default/replicasets',
  'apps/v1/statefulsets': '/apis/apps/v1/namespaces/default/statefulsets',
  'v1/replicationcontrollers': '/api/v1/namespaces/default/replicationcontrollers',
} as const;

async function openWith(key: keyof typeof PATHS): Promise<{ api: ApiRequests; path: string }> {
  const api = await ApiRequests.open();
  const body = { ...SAMPLES[key], metadata: { name: 'web' } };
  const { code } = await api.ask('POST', PATHS[key], { body });
  expect(code).toBe(201);
  return { api, path: `${PATHS[key]}/web` };
}

describe.each([
  'apps/v1/deployments',
  'apps/v1/replicasets',
  'apps/v1/statefulsets',
  'v1/replicationcontrollers',
] as const)('the scale of %s', (key) => {
  it('shows replicas and the selector as text', async () => {
    const { api, path } = await openWith(key);
    const { body } = await api.ask('GET', `${path}/scale`);
    expect(body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 1 },
      status: { replicas: 0, selector: 'app=web' },
    });
  });

  it('scales its object, which raises the generation', async () => {
    const { api, path } = await openWith(key);
    expect((await api.merge(`${path}/scale`, { spec: { replicas: 4 } })).code).toBe(200);
    const { body } = await api.ask('GET', path);
    expect(body).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 4 } });
  });
});

describe('a Scale', () => {
  it('is replaced as a whole by a PUT, and zero replicas are left out', async () => {
    const { api, path } = await openWith('apps/v1/deployments');
    const { body } = await api.ask('GET', `${path}/scale`);
    const { code, body: scaled } = await api.ask('PUT', `${path}/scale`, {
      body: { ...body, spec: { replicas: 0 } },
    });
    expect([code, scaled['spec']]).toEqual([200, {}]);
  });

  it('is refused if it is stale', async () => {
    const { api, path } = await openWith('apps/v1/deployments');
    const { body } = await api.ask('GET', `${path}/scale`);
    await api.merge(path, { metadata: { labels: { a: 'b' } } });
    const { code, body: status } = await api.ask('PUT', `${path}/scale`, { body });
    expect([code, status['reason']]).toEqual([409, 'Conflict']);
  });

  it('is refused if it is that of another object of the same name', async () => {
    const { api, path } = await openWith('apps/v1/deployments');
    const { body } = await api.ask('GET', `${path}/scale`);
    const metadata = { ...metadataOf(body), uid: '00000000-0000-4000-8000-000000000000' };
    const { code } = await api.ask('PUT', `${path}/scale`, { body: { ...body, metadata } });
    expect(code).toBe(409);
  });

  it('cannot be negative', async () => {
    const { api, path } = await openWith('apps/v1/deployments');
    const answer = await api.merge(`${path}/scale`, { spec: { replicas: -1 } });
    expect(problemsOf(answer)).toEqual([
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });

  it('is printed as its own row', async () => {
    const { api, path } = await openWith('apps/v1/deployments');
    const { body } = await api.ask('GET', `${path}/scale`, { accept: TABLE });
    expect(body).toMatchObject({ rows: [{ cells: ['web', 1, 0, '0s'] }] });
  });
});
