import { describe, expect, it } from 'vitest';
import { ApiDesk, complaintsOf } from '../../../test/support/api-desk.ts';

const PATH = '/api/v1/namespaces';

async function openWith(name: string): Promise<ApiDesk> {
  const desk = await ApiDesk.open();
  await desk.ask('POST', PATH, { body: { metadata: { name } } });
  return desk;
}

describe('a namespace', () => {
  it('is active, held by Kubernetes, and carries its name as a label', async () => {
    const desk = await openWith('room');
    expect((await desk.ask('GET', `${PATH}/room`)).body).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': 'room' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  });

  it('keeps its label and its finalizers in an update', async () => {
    const desk = await openWith('room');
    const patch = { metadata: { labels: null }, spec: { finalizers: [] } };
    expect((await desk.merge(`${PATH}/room`, patch)).body).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': 'room' } },
      spec: { finalizers: ['kubernetes'] },
    });
  });

  it('that is deleted takes nothing in, and is gone when it is finalized', async () => {
    const desk = await openWith('room');
    const { body } = await desk.ask('DELETE', `${PATH}/room`);
    expect(body).toMatchObject({ kind: 'Namespace', status: { phase: 'Terminating' } });
    expect(body['metadata']).not.toHaveProperty('deletionGracePeriodSeconds');
    const create = desk.ask('POST', `${PATH}/room/configmaps`, {
      body: { metadata: { name: 'c' } },
    });
    expect((await create).code).toBe(403);
    expect((await desk.ask('DELETE', `${PATH}/room`)).body).toEqual(body);
    const emptied = { ...body, spec: { finalizers: [] } };
    expect((await desk.ask('PUT', `${PATH}/room/finalize`, { body: emptied })).code).toBe(200);
    expect((await desk.ask('GET', `${PATH}/room`)).code).toBe(404);
  });

  it.each(['default', 'kube-system', 'kube-public'])(
    'called %s cannot be deleted',
    async (name) => {
      const desk = await openWith(name);
      const { code, body } = await desk.ask('DELETE', `${PATH}/${name}`);
      expect(code).toBe(403);
      expect(body['message']).toBe(
        `namespaces "${name}" is forbidden: this namespace may not be deleted`,
      );
    },
  );

  it('has a name that is one label', async () => {
    const desk = await ApiDesk.open();
    const answer = await desk.ask('POST', PATH, { body: { metadata: { name: 'a.b' } } });
    expect(complaintsOf(answer)).toEqual([
      'metadata.name: Invalid value: "a.b": must not contain dots',
    ]);
  });

  it('is only finalized by names that are known or qualified', async () => {
    const desk = await openWith('room');
    const { body } = await desk.ask('GET', `${PATH}/room`);
    const answer = await desk.ask('PUT', `${PATH}/room/finalize`, {
      body: { ...body, spec: { finalizers: ['mine', 'example.com/mine'] } },
    });
    expect(complaintsOf(answer)).toEqual([
      'spec.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
    ]);
  });

  it('says that it ends only when it does', async () => {
    const desk = await openWith('room');
    const answer = await desk.merge(`${PATH}/room/status`, { status: { phase: 'Terminating' } });
    expect(complaintsOf(answer)).toEqual([
      'status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
    ]);
  });

  it('cannot be deleted with all others', async () => {
    const desk = await ApiDesk.open();
    expect((await desk.ask('DELETE', PATH)).code).toBe(405);
  });
});
