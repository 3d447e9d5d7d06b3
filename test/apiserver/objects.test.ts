import { expect, test } from 'vitest';
import { ApiStage, CONFIG_MAPS } from './stage.ts';

test('an object gets a uid, a time and a version of its own, and can be read back', async () => {
  const stage = await ApiStage.open();
  const { code, body } = await stage.create('a', { data: { k: 'v' } });
  expect(code).toBe(201);
  expect(body).toMatchObject({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: {
      name: 'a',
      namespace: 'default',
      uid: expect.stringMatching(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
      creationTimestamp: '2030-01-02T03:04:05Z',
      resourceVersion: expect.stringMatching(/^\d+$/),
    },
    data: { k: 'v' },
  });
  expect((await stage.send('GET', `${CONFIG_MAPS}/a`)).body).toEqual(body);
});

test('what a client says about uid, time and version of a new object is ignored', async () => {
  const stage = await ApiStage.open();
  const metadata = {
    name: 'a',
    uid: 'mine',
    creationTimestamp: '2001-01-01T00:00:00Z',
    deletionTimestamp: '2001-01-01T00:00:00Z',
    generation: 7,
  };
  const { body } = await stage.send('POST', CONFIG_MAPS, { metadata });
  expect(body.metadata).not.toMatchObject({ uid: 'mine' });
  expect(body.metadata).toMatchObject({ creationTimestamp: '2030-01-02T03:04:05Z' });
  expect(body.metadata).not.toHaveProperty('deletionTimestamp');
  expect(body.metadata).not.toHaveProperty('generation');
});

test('two patches at once are both applied, because the loser tries again', async () => {
  const stage = await ApiStage.open();
  await stage.create('a', { data: { start: '0' } });
  const patch = (key: string) =>
    stage.send(
      'PATCH',
      `${CONFIG_MAPS}/a`,
      { data: { [key]: '1' } },
      {
        'content-type': 'application/merge-patch+json',
      },
    );
  const answers = await Promise.all(['x', 'y', 'z'].map(patch));
  expect(answers.map(({ code }) => code)).toEqual([200, 200, 200]);
  const { body } = await stage.send('GET', `${CONFIG_MAPS}/a`);
  expect(body['data']).toEqual({ start: '0', x: '1', y: '1', z: '1' });
});

test('two creates of one name at once: one succeeds, the other is told', async () => {
  const stage = await ApiStage.open();
  const codes = (await Promise.all([stage.create('a'), stage.create('a')])).map(({ code }) => code);
  expect(new Set(codes)).toEqual(new Set([201, 409]));
});

test('a body of more than 3 MiB is answered 413', async () => {
  const stage = await ApiStage.open();
  const { code, body } = await stage.create('a', { data: { k: 'x'.repeat(3 * 1024 * 1024) } });
  expect(code).toBe(413);
  expect(body).toMatchObject({ kind: 'Status', reason: 'RequestEntityTooLarge' });
});

test('an integer that JavaScript cannot keep is refused, not changed', async () => {
  const stage = await ApiStage.open();
  const text = '{"metadata":{"name":"a","generation":9007199254740993}}';
  const { code, body } = await stage.send('POST', CONFIG_MAPS, text);
  expect(code).toBe(400);
  expect(body['message']).toMatch(/9007199254740993 at metadata.generation is too large/);
});

test('__proto__ and constructor are keys like any other', async () => {
  const stage = await ApiStage.open();
  const text = '{"metadata":{"name":"a"},"data":{"__proto__":"x","constructor":"y"}}';
  await stage.send('POST', CONFIG_MAPS, text);
  const response = await stage.fetch('GET', `${CONFIG_MAPS}/a`);
  expect(await response.text()).toContain('"data":{"__proto__":"x","constructor":"y"}');
});

test('YAML goes in and comes out', async () => {
  const stage = await ApiStage.open();
  const yaml = { 'content-type': 'application/yaml', accept: 'application/yaml' };
  const response = await stage.fetch(
    'POST',
    CONFIG_MAPS,
    'metadata:\n  name: a\ndata:\n  k: "on"\n',
    yaml,
  );
  expect(response.headers.get('content-type')).toBe('application/yaml');
  expect(await response.text()).toMatch(/^kind: ConfigMap\napiVersion: v1\n[\s\S]*k: "on"\n/);
});

test('an answer that nobody can make is refused with 406', async () => {
  const stage = await ApiStage.open();
  const { code } = await stage.send('GET', CONFIG_MAPS, undefined, { accept: 'text/html' });
  expect(code).toBe(406);
});

test('finalizers hold an object that was deleted until they are gone', async () => {
  const stage = await ApiStage.open();
  await stage.send('POST', CONFIG_MAPS, { metadata: { name: 'a', finalizers: ['example.com/x'] } });
  const deleted = await stage.send('DELETE', `${CONFIG_MAPS}/a`);
  expect(deleted.body.metadata).toMatchObject({ deletionTimestamp: '2030-01-02T03:04:05Z' });
  expect((await stage.send('GET', `${CONFIG_MAPS}/a`)).code).toBe(200);
  const patch = { 'content-type': 'application/merge-patch+json' };
  await stage.send('PATCH', `${CONFIG_MAPS}/a`, { metadata: { finalizers: null } }, patch);
  expect((await stage.send('GET', `${CONFIG_MAPS}/a`)).code).toBe(404);
});

test('a collection is deleted by its selector, and the rest stays', async () => {
  const stage = await ApiStage.open();
  for (const [name, app] of [
    ['a', 'x'],
    ['b', 'y'],
    ['c', 'x'],
  ]) {
    await stage.send('POST', CONFIG_MAPS, { metadata: { name, labels: { app } } });
  }
  await stage.send('DELETE', `${CONFIG_MAPS}?labelSelector=app%3Dx`);
  const { body } = await stage.send('GET', CONFIG_MAPS);
  expect(body['items']).toMatchObject([{ metadata: { name: 'b' } }]);
});
