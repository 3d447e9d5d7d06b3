import { expect, test } from 'vitest';
import { textOf } from '../../src/apiserver/objects/metadata.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { promisesSettled } from '../support/virtual-clock.ts';
import { ApiHarness, CONFIG_MAPS } from './api-harness.ts';

function namesOf(items: unknown): readonly unknown[] {
  return (items as readonly { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
}

function typesOf(events: readonly JsonObject[]): readonly unknown[] {
  return events.map(({ type }) => type);
}

test('the pages of a list are one snapshot, whatever is written meanwhile', async () => {
  const harness = await ApiHarness.open();
  for (const name of ['a', 'b', 'c', 'd', 'e']) await harness.create(name);
  const first = await harness.send('GET', `${CONFIG_MAPS}?limit=2`);
  expect(first.body.metadata).toMatchObject({ remainingItemCount: 3 });
  await harness.send('DELETE', `${CONFIG_MAPS}/d`);
  await harness.create('cc');
  const token = textOf(first.body.metadata['continue']);
  const second = await harness.send('GET', `${CONFIG_MAPS}?limit=2&continue=${token}`);
  const next = textOf(second.body.metadata['continue']);
  const third = await harness.send('GET', `${CONFIG_MAPS}?limit=2&continue=${next}`);
  expect([first, second, third].flatMap(({ body }) => namesOf(body['items']))).toEqual([
    'a',
    'b',
    'c',
    'd',
    'e',
  ]);
  expect(third.body.metadata).not.toHaveProperty('continue');
  const { resourceVersion } = first.body.metadata;
  expect(third.body.metadata).toMatchObject({ resourceVersion });
});

test('a page of a compacted snapshot is answered 410', async () => {
  const harness = await ApiHarness.open();
  for (const name of ['a', 'b', 'c']) await harness.create(name);
  const first = await harness.send('GET', `${CONFIG_MAPS}?limit=1`);
  const token = textOf(first.body.metadata['continue']);
  await harness.create('d');
  harness.store.compact(harness.store.revision);
  const { code, body } = await harness.send('GET', `${CONFIG_MAPS}?limit=1&continue=${token}`);
  expect(code).toBe(410);
  expect(body['reason']).toBe('Expired');
  // The token of the answer goes on with what is there now.
  const rest = textOf(body.metadata['continue']);
  const last = await harness.send('GET', `${CONFIG_MAPS}?limit=5&continue=${rest}`);
  expect(namesOf(last.body['items'])).toEqual(['b', 'c', 'd']);
  expect(last.body.metadata).not.toHaveProperty('continue');
});

test('a watch that begins in the past replays what it missed and then continues', async () => {
  const harness = await ApiHarness.open();
  const { body } = await harness.create('a');
  const { resourceVersion } = body.metadata;
  await harness.create('b');
  const { events } = await harness.watch(`&resourceVersion=${textOf(resourceVersion)}`);
  await harness.create('c');
  await promisesSettled();
  expect(events.map((event) => namesOf([event['object']])[0])).toEqual(['b', 'c']);
});

test('a watch from a compacted version is answered 410', async () => {
  const harness = await ApiHarness.open();
  await harness.create('a');
  await harness.create('b');
  harness.store.compact(harness.store.revision);
  const { code } = await harness.send('GET', `${CONFIG_MAPS}?watch=1&resourceVersion=1`);
  expect(code).toBe(410);
});

test('the initial events end with an annotated bookmark', async () => {
  const harness = await ApiHarness.open();
  await harness.create('a');
  const { events } = await harness.watch(
    '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
  );
  await promisesSettled();
  expect(typesOf(events)).toEqual(['ADDED', 'BOOKMARK']);
  expect(events[1]).toMatchObject({
    object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
  });
});

test('a watch that allows bookmarks gets one a minute, with the newest version', async () => {
  const harness = await ApiHarness.open();
  await harness.create('a');
  const { events } = await harness.watch(
    `&allowWatchBookmarks=true&resourceVersion=${harness.store.revision}`,
  );
  await harness.clock.pass(60_000);
  expect(typesOf(events)).toEqual(['BOOKMARK']);
  expect(events[0]).toMatchObject({
    object: { kind: 'ConfigMap', metadata: { resourceVersion: String(harness.store.revision) } },
  });
});

test('a watch ends when its time is up', async () => {
  const harness = await ApiHarness.open();
  const watch = await harness.watch('&timeoutSeconds=5');
  await harness.clock.pass(4999);
  expect(watch.isOver()).toBe(false);
  await harness.clock.pass(1);
  expect(watch.isOver()).toBe(true);
});

test('a watch whose client does not read ends with 410, and the others go on', async () => {
  const harness = await ApiHarness.open();
  const slow = await harness.fetch('GET', `${CONFIG_MAPS}?watch=1`);
  const { events } = await harness.watch('');
  const data = { blob: 'x'.repeat(1_000_000) };
  for (let count = 0; count < 40; count++) await harness.create(`c${count}`, { data });
  await promisesSettled();
  expect(events.filter(({ type }) => type === 'ADDED')).toHaveLength(40);
  const [line, ...more] = (await slow.text()).trim().split('\n');
  expect(JSON.parse(line ?? '')).toMatchObject({ type: 'ERROR', object: { code: 410 } });
  expect(more).toEqual([]);
});

test('of the tables of a watch only the first names its columns', async () => {
  const harness = await ApiHarness.open();
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const response = await harness.fetch('GET', `${CONFIG_MAPS}?watch=1`, undefined, { accept });
  const reader = response.body?.getReader();
  await harness.create('a');
  await harness.create('b');
  const { value } = (await reader?.read()) ?? {};
  const tables = new TextDecoder()
    .decode(value)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { object: { columnDefinitions: unknown; rows: unknown[] } });
  expect(tables.map(({ object }) => object.rows.length)).toEqual([1, 1]);
  expect(tables.map(({ object }) => Array.isArray(object.columnDefinitions))).toEqual([
    true,
    false,
  ]);
  await reader?.cancel();
});

test.each([
  ['/api/v1/watch/namespaces/default/configmaps', ['a', 'b']],
  ['/api/v1/watch/configmaps', ['a', 'b']],
  ['/api/v1/watch/namespaces/default/configmaps/b', ['b']],
])('the deprecated path %s is a watch', async (path, names) => {
  const harness = await ApiHarness.open();
  const { events } = await harness.watch('?resourceVersion=1', path);
  await harness.create('a');
  await harness.create('b');
  await promisesSettled();
  const seen = events.map((event) => namesOf([event['object']])[0]);
  expect(seen.filter((name) => name === 'a' || name === 'b')).toEqual(names);
});

test('a watch path takes no writes', async () => {
  const harness = await ApiHarness.open();
  await harness.create('a');
  const target = '/api/v1/watch/namespaces/default/configmaps/a';
  for (const method of ['DELETE', 'PUT', 'PATCH', 'POST']) {
    expect((await harness.send(method, target)).code).toBe(405);
  }
  expect((await harness.send('GET', `${CONFIG_MAPS}/a`)).code).toBe(200);
});
