import { describe, expect, it } from 'vitest';
import { ApiDesk, complaintsOf, TABLE } from '../../test/support/api-desk.ts';
import { SAMPLES } from '../../test/support/kind-samples.ts';
import { metadataOf } from './metadata.ts';

const PATHS = {
  'apps/v1/deployments': '/apis/apps/v1/namespaces/default/deployments',
  'apps/v1/replicasets': '/apis/apps/v1/namespaces/default/replicasets',
  'apps/v1/statefulsets': '/apis/apps/v1/namespaces/default/statefulsets',
  'v1/replicationcontrollers': '/api/v1/namespaces/default/replicationcontrollers',
} as const;

async function openWith(key: keyof typeof PATHS): Promise<{ desk: ApiDesk; path: string }> {
  const desk = await ApiDesk.open();
  const body = { ...SAMPLES[key], metadata: { name: 'web' } };
  const { code } = await desk.ask('POST', PATHS[key], { body });
  expect(code).toBe(201);
  return { desk, path: `${PATHS[key]}/web` };
}

describe.each([
  'apps/v1/deployments',
  'apps/v1/replicasets',
  'apps/v1/statefulsets',
  'v1/replicationcontrollers',
] as const)('the scale of %s', (key) => {
  it('shows replicas and the selector as text', async () => {
    const { desk, path } = await openWith(key);
    const { body } = await desk.ask('GET', `${path}/scale`);
    expect(body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 1 },
      status: { replicas: 0, selector: 'app=web' },
    });
  });

  it('scales what it belongs to, which is a new generation of it', async () => {
    const { desk, path } = await openWith(key);
    expect((await desk.merge(`${path}/scale`, { spec: { replicas: 4 } })).code).toBe(200);
    const { body } = await desk.ask('GET', path);
    expect(body).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 4 } });
  });
});

describe('a Scale', () => {
  it('is replaced as a whole by a PUT, and a scale of nothing says nothing', async () => {
    const { desk, path } = await openWith('apps/v1/deployments');
    const { body } = await desk.ask('GET', `${path}/scale`);
    const { code, body: scaled } = await desk.ask('PUT', `${path}/scale`, {
      body: { ...body, spec: { replicas: 0 } },
    });
    expect([code, scaled['spec']]).toEqual([200, {}]);
  });

  it('is refused if it is stale', async () => {
    const { desk, path } = await openWith('apps/v1/deployments');
    const { body } = await desk.ask('GET', `${path}/scale`);
    await desk.merge(path, { metadata: { labels: { a: 'b' } } });
    const { code, body: status } = await desk.ask('PUT', `${path}/scale`, { body });
    expect([code, status['reason']]).toEqual([409, 'Conflict']);
  });

  it('is refused if it is that of another object of the same name', async () => {
    const { desk, path } = await openWith('apps/v1/deployments');
    const { body } = await desk.ask('GET', `${path}/scale`);
    const metadata = { ...metadataOf(body), uid: '00000000-0000-4000-8000-000000000000' };
    const { code } = await desk.ask('PUT', `${path}/scale`, { body: { ...body, metadata } });
    expect(code).toBe(409);
  });

  it('cannot be less than nothing', async () => {
    const { desk, path } = await openWith('apps/v1/deployments');
    const answer = await desk.merge(`${path}/scale`, { spec: { replicas: -1 } });
    expect(complaintsOf(answer)).toEqual([
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });

  it('is printed as a row of its own', async () => {
    const { desk, path } = await openWith('apps/v1/deployments');
    const { body } = await desk.ask('GET', `${path}/scale`, { accept: TABLE });
    expect(body).toMatchObject({ rows: [{ cells: ['web', 1, 0, '0s'] }] });
  });
});
