import { expect, test } from 'vitest';
import { ApiHarness, CONFIG_MAPS } from './api-harness.ts';

test('an object gets a uid, a time and a version, and can be read back', async () => {
  const harness = await ApiHarness.open();
  const { code, body } = await harness.create('a', { data: { k: 'v' } });
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
  expect((await harness.send('GET', `${CONFIG_MAPS}/a`)).body).toEqual(body);
});

test('uid and times that a client sends for a new object are ignored', async () => {
  const harness = await ApiHarness.open();
  const metadata = {
    name: 'a',
    uid: 'mine',
    creationTimestamp: '2001-01-01T00:00:00Z',
    deletionTimestamp: '2001-01-01T00:00:00Z',
  };
  const { body } = await harness.send('POST', CONFIG_MAPS, { metadata });
  expect(body.metadata).not.toMatchObject({ uid: 'mine' });
  expect(body.metadata).toMatchObject({ creationTimestamp: '2030-01-02T03:04:05Z' });
  expect(body.metadata).not.toHaveProperty('deletionTimestamp');
});

test('two concurrent patches are both applied, because the loser is retried', async () => {
  const harness = await ApiHarness.open();
  await harness.create('a', { data: { start: '0' } });
  const patch = (key: string) =>
    harness.send(
      'PATCH',
      `${CONFIG_MAPS}/a`,
      { data: { [key]: '1' } },
      {
        'content-type': 'application/merge-patch+json',
      },
    );
  const answers = await Promise.all(['x', 'y', 'z'].map(patch));
  expect(answers.map(({ code }) => code)).toEqual([200, 200, 200]);
  const { body } = await harness.send('GET', `${CONFIG_MAPS}/a`);
  expect(body['data']).toEqual({ start: '0', x: '1', y: '1', z: '1' });
});

test('two concurrent creates of one name: one succeeds, the other gets a conflict', async () => {
  const harness = await ApiHarness.open();
  const codes = (await Promise.all([harness.create('a'), harness.create('a')])).map(
    ({ code }) => code,
  );
  expect(new Set(codes)).toEqual(new Set([201, 409]));
});

test('a body of more than 3 MiB is answered 413', async () => {
  const harness = await ApiHarness.open();
  const { code, body } = await harness.create('a', { data: { k: 'x'.repeat(3 * 1024 * 1024) } });
  expect(code).toBe(413);
  expect(body).toMatchObject({ kind: 'Status', reason: 'RequestEntityTooLarge' });
});

test('a number that no double can represent is refused, not changed', async () => {
  const harness = await ApiHarness.open();
  const text = '{"metadata":{"name":"a","generation":1e999}}';
  const { code, body } = await harness.send('POST', CONFIG_MAPS, text);
  expect(code).toBe(400);
  expect(body['message']).toMatch(/cannot unmarshal number 1e999 into Go value of type float64/);
});

test('__proto__ and constructor are keys like any other', async () => {
  const harness = await ApiHarness.open();
  const text = '{"metadata":{"name":"a"},"data":{"__proto__":"x","constructor":"y"}}';
  await harness.send('POST', CONFIG_MAPS, text);
  const response = await harness.fetch('GET', `${CONFIG_MAPS}/a`);
  expect(await response.text()).toContain('"data":{"__proto__":"x","constructor":"y"}');
});

test('YAML is accepted and served', async () => {
  const harness = await ApiHarness.open();
  const yaml = { 'content-type': 'application/yaml', accept: 'application/yaml' };
  const response = await harness.fetch(
    'POST',
    CONFIG_MAPS,
    'metadata:\n  name: a\ndata:\n  k: "on"\n',
    yaml,
  );
  expect(response.headers.get('content-type')).toBe('application/yaml');
  expect(await response.text()).toMatch(/^kind: ConfigMap\napiVersion: v1\n[\s\S]*k: "on"\n/);
});

test('an Accept header without a known type is refused with 406', async () => {
  const harness = await ApiHarness.open();
  const { code } = await harness.send('GET', CONFIG_MAPS, undefined, { accept: 'text/html' });
  expect(code).toBe(406);
});

test('finalizers hold a deleted object until they are removed', async () => {
  const harness = await ApiHarness.open();
  await harness.send('POST', CONFIG_MAPS, {
    metadata: { name: 'a', finalizers: ['example.com/x'] },
  });
  const deleted = await harness.send('DELETE', `${CONFIG_MAPS}/a`);
  expect(deleted.body.metadata).toMatchObject({ deletionTimestamp: '2030-01-02T03:04:05Z' });
  expect((await harness.send('GET', `${CONFIG_MAPS}/a`)).code).toBe(200);
  const patch = { 'content-type': 'application/merge-patch+json' };
  await harness.send('PATCH', `${CONFIG_MAPS}/a`, { metadata: { finalizers: null } }, patch);
  expect((await harness.send('GET', `${CONFIG_MAPS}/a`)).code).toBe(404);
});

test('a collection is deleted by its selector, and the rest stays', async () => {
  const harness = await ApiHarness.open();
  for (const [name, app] of [
    ['a', 'x'],
    ['b', 'y'],
    ['c', 'x'],
  ]) {
    await harness.send('POST', CONFIG_MAPS, { metadata: { name, labels: { app } } });
  }
  await harness.send('DELETE', `${CONFIG_MAPS}?labelSelector=app%3Dx`);
  const { body } = await harness.send('GET', CONFIG_MAPS);
  expect(body['items']).toMatchObject([{ metadata: { name: 'b' } }]);
});
