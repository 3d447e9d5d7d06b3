import { describe, expect, it } from 'vitest';
import { ApiRequests, problemsOf } from '../../../../test/support/api-requests.ts';

const PATH = '/api/v1/namespaces';

async function openWith(name: string): Promise<ApiRequests> {
  const api = await ApiRequests.open();
  await api.ask('POST', PATH, { body: { metadata: { name } } });
  return api;
}

describe('a namespace', () => {
  it('is active, has the finalizer kubernetes, and carries its name as a label', async () => {
    const api = await openWith('team');
    expect((await api.ask('GET', `${PATH}/team`)).body).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': 'team' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  });

  it('keeps its label and its finalizers in an update', async () => {
    const api = await openWith('team');
    const patch = { metadata: { labels: null }, spec: { finalizers: [] } };
    expect((await api.merge(`${PATH}/team`, patch)).body).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': 'team' } },
      spec: { finalizers: ['kubernetes'] },
    });
  });

  it('that is deleted accepts no objects, and is gone when it is finalized', async () => {
    const api = await openWith('team');
    const { body } = await api.ask('DELETE', `${PATH}/team`);
    expect(body).toMatchObject({ kind: 'Namespace', status: { phase: 'Terminating' } });
    expect(body['metadata']).not.toHaveProperty('deletionGracePeriodSeconds');
    const create = api.ask('POST', `${PATH}/team/configmaps`, {
      body: { metadata: { name: 'c' } },
    });
    expect((await create).code).toBe(403);
    expect((await api.ask('DELETE', `${PATH}/team`)).body).toEqual(body);
    const emptied = { ...body, spec: { finalizers: [] } };
    expect((await api.ask('PUT', `${PATH}/team/finalize`, { body: emptied })).code).toBe(200);
    expect((await api.ask('GET', `${PATH}/team`)).code).toBe(404);
  });

  it.each(['default', 'kube-system', 'kube-public'])(
    'called %s cannot be deleted',
    async (name) => {
      const api = await openWith(name);
      const { code, body } = await api.ask('DELETE', `${PATH}/${name}`);
      expect(code).toBe(403);
      expect(body['message']).toBe(
        `namespaces "${name}" is forbidden: this namespace may not be deleted`,
      );
    },
  );

  it('has a name that is a DNS label', async () => {
    const api = await ApiRequests.open();
    const answer = await api.ask('POST', PATH, { body: { metadata: { name: 'a.b' } } });
    expect(problemsOf(answer)).toEqual([
      'metadata.name: Invalid value: "a.b": must not contain dots',
    ]);
  });

  it('has only finalizers that are known or qualified', async () => {
    const api = await openWith('team');
    const { body } = await api.ask('GET', `${PATH}/team`);
    const answer = await api.ask('PUT', `${PATH}/team/finalize`, {
      body: { ...body, spec: { finalizers: ['mine', 'example.com/mine'] } },
    });
    expect(problemsOf(answer)).toEqual([
      'spec.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
    ]);
  });

  it('has phase Terminating only while it is being deleted', async () => {
    const api = await openWith('team');
    const answer = await api.merge(`${PATH}/team/status`, { status: { phase: 'Terminating' } });
    expect(problemsOf(answer)).toEqual([
      'status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
    ]);
  });

  it('cannot be deleted as part of a collection', async () => {
    const api = await ApiRequests.open();
    expect((await api.ask('DELETE', PATH)).code).toBe(405);
  });
});
