import { expect, test } from 'vitest';
import { textOf } from '../../src/apiserver/metadata.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { promisesSettled } from '../support/virtual-clock.ts';
import { ApiStage, CONFIG_MAPS } from './stage.ts';

function namesOf(items: unknown): readonly unknown[] {
  return (items as readonly { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
}

function typesOf(events: readonly JsonObject[]): readonly unknown[] {
  return events.map(({ type }) => type);
}

test('the pages of a list are one snapshot, whatever is written meanwhile', async () => {
  const stage = await ApiStage.open();
  for (const name of ['a', 'b', 'c', 'd', 'e']) await stage.create(name);
  const first = await stage.send('GET', `${CONFIG_MAPS}?limit=2`);
  expect(first.body.metadata).toMatchObject({ remainingItemCount: 3 });
  await stage.send('DELETE', `${CONFIG_MAPS}/d`);
  await stage.create('cc');
  const token = textOf(first.body.metadata['continue']);
  const second = await stage.send('GET', `${CONFIG_MAPS}?limit=2&continue=${token}`);
  const next = textOf(second.body.metadata['continue']);
  const third = await stage.send('GET', `${CONFIG_MAPS}?limit=2&continue=${next}`);
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

test('a page of a snapshot that history has forgotten is answered 410', async () => {
  const stage = await ApiStage.open();
  for (const name of ['a', 'b', 'c']) await stage.create(name);
  const first = await stage.send('GET', `${CONFIG_MAPS}?limit=1`);
  const token = textOf(first.body.metadata['continue']);
  await stage.create('d');
  stage.store.compact(stage.store.revision);
  const { code, body } = await stage.send('GET', `${CONFIG_MAPS}?limit=1&continue=${token}`);
  expect(code).toBe(410);
  expect(body['reason']).toBe('Expired');
});

test('a watch that begins in the past replays what it missed and then goes on', async () => {
  const stage = await ApiStage.open();
  const { body } = await stage.create('a');
  const { resourceVersion } = body.metadata;
  await stage.create('b');
  const { events } = await stage.watch(`&resourceVersion=${textOf(resourceVersion)}`);
  await stage.create('c');
  await promisesSettled();
  expect(events.map((event) => namesOf([event['object']])[0])).toEqual(['b', 'c']);
});

test('a watch from before what history remembers is answered 410', async () => {
  const stage = await ApiStage.open();
  await stage.create('a');
  await stage.create('b');
  stage.store.compact(stage.store.revision);
  const { code } = await stage.send('GET', `${CONFIG_MAPS}?watch=1&resourceVersion=1`);
  expect(code).toBe(410);
});

test('the initial events end with a bookmark that says so', async () => {
  const stage = await ApiStage.open();
  await stage.create('a');
  const { events } = await stage.watch('&sendInitialEvents=true&resourceVersionMatch=NotOlderThan');
  await promisesSettled();
  expect(typesOf(events)).toEqual(['ADDED', 'BOOKMARK']);
  expect(events[1]).toMatchObject({
    object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
  });
});

test('whoever allows bookmarks gets one a minute, with the newest version', async () => {
  const stage = await ApiStage.open();
  await stage.create('a');
  const { events } = await stage.watch(
    `&allowWatchBookmarks=true&resourceVersion=${stage.store.revision}`,
  );
  await stage.clock.pass(60_000);
  expect(typesOf(events)).toEqual(['BOOKMARK']);
  expect(events[0]).toMatchObject({
    object: { kind: 'ConfigMap', metadata: { resourceVersion: String(stage.store.revision) } },
  });
});

test('a watch ends when its time is up', async () => {
  const stage = await ApiStage.open();
  const watch = await stage.watch('&timeoutSeconds=5');
  await stage.clock.pass(4999);
  expect(watch.isOver()).toBe(false);
  await stage.clock.pass(1);
  expect(watch.isOver()).toBe(true);
});

test('a watcher that does not read is cut off with 410, and the others go on', async () => {
  const stage = await ApiStage.open();
  const slow = await stage.fetch('GET', `${CONFIG_MAPS}?watch=1`);
  const { events } = await stage.watch('');
  const data = { blob: 'x'.repeat(1_000_000) };
  for (let count = 0; count < 40; count++) await stage.create(`c${count}`, { data });
  await promisesSettled();
  expect(events.filter(({ type }) => type === 'ADDED')).toHaveLength(40);
  const [line, ...more] = (await slow.text()).trim().split('\n');
  expect(JSON.parse(line ?? '')).toMatchObject({ type: 'ERROR', object: { code: 410 } });
  expect(more).toEqual([]);
});

test('of the tables of a watch only the first names its columns', async () => {
  const stage = await ApiStage.open();
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const response = await stage.fetch('GET', `${CONFIG_MAPS}?watch=1`, undefined, { accept });
  const reader = response.body?.getReader();
  await stage.create('a');
  await stage.create('b');
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
