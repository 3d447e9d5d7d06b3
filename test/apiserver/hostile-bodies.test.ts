/** Bodies that are made to be expensive: each is answered with a Status, and the others are served. */
import { describe, expect, test } from 'vitest';
import { ApiServer } from '../../src/apiserver/api-server.ts';
import { builtInKinds } from '../../src/apiserver/kinds/built-in-kinds.ts';
import { openMemoryStore } from '../../src/apiserver/store/memory-store.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import { silentLog } from '../support/silent-ports.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { ApiStage, CONFIG_MAPS } from './stage.ts';

const YAML = { 'content-type': 'application/yaml' };

describe('deep nesting', () => {
  const nested = (open: string, close: string, levels: number): string =>
    `${open.repeat(levels)}1${close.repeat(levels)}`;

  test.each([
    ['unclosed lists', '['.repeat(5000)],
    ['unclosed objects', '{"a":'.repeat(5000)],
    ['lists', nested('[', ']', 9000)],
    ['objects', nested('{"a":', '}', 9000)],
    ['more than any decoder takes', nested('{"a":', '}', 200_000)],
    ['labels', `{"metadata":{"labels":${nested('{"a":', '}', 600)}}}`],
  ])('is answered with 400: %s', async (_name, body) => {
    const stage = await ApiStage.open();
    const types = ['application/json', 'application/yaml'];
    for (const type of types) {
      const answer = await stage.send('POST', CONFIG_MAPS, body, { 'content-type': type });
      expect(answer).toMatchObject({ code: 400, body: { kind: 'Status', reason: 'BadRequest' } });
    }
    await stage.create('a');
    for (const type of ['json-patch', 'merge-patch', 'strategic-merge-patch']) {
      const headers = { 'content-type': `application/${type}+json` };
      const answer = await stage.send('PATCH', `${CONFIG_MAPS}/a`, body, headers);
      expect(answer).toMatchObject({ code: 400, body: { kind: 'Status', reason: 'BadRequest' } });
    }
  });

  test('cannot be built up by patches inside a field of any shape', async () => {
    const stage = await ApiStage.open();
    const path = '/apis/apps/v1/namespaces/default/controllerrevisions';
    await stage.send('POST', path, { metadata: { name: 'r' }, revision: 1, data: { a: {} } });
    let at = '/data';
    const codes: number[] = [];
    for (let step = 0; step < 3; step++) {
      const value: unknown = JSON.parse(nested('{"a":', '}', 300));
      const patch = [{ op: 'add', path: `${at}/a`, value }];
      const type = { 'content-type': 'application/json-patch+json' };
      codes.push((await stage.send('PATCH', `${path}/r`, patch, type)).code);
      at += '/a'.repeat(300);
    }
    expect(codes.every((code) => code === 200 || code === 422)).toBe(true);
    expect(codes.at(-1)).toBe(422);
  });
});

test('YAML with thousands of keys is read in linear time', async () => {
  const stage = await ApiStage.open();
  const keys = Array.from({ length: 16_000 }, (_, index) => `  key-${index}: v`);
  const startedMs = performance.now();
  const text = `metadata: {name: many}\ndata:\n${keys.join('\n')}`;
  expect(await stage.send('POST', CONFIG_MAPS, text, YAML)).toMatchObject({ code: 201 });
  const again = await stage.send('POST', CONFIG_MAPS, `${text}\n  key-1: again`, YAML);
  expect(again.body['message']).toContain('Map keys must be unique at line 16003, column 3');
  expect(performance.now() - startedMs).toBeLessThan(8000);
}, 60_000);

test('nothing of a body is read for a user who may not write', async () => {
  const clock = new VirtualClock();
  const server = new ApiServer({
    store: openMemoryStore({ clock, log: silentLog }),
    clock,
    random: seededRandom(1),
    log: silentLog,
    kinds: builtInKinds,
    version: {},
    access: () => ({
      authenticate: () => Promise.resolve({ name: 'mallory', groups: [] }),
      authorize: () => ({ isAllowed: false, reason: '' }),
    }),
  });
  let pulls = 0;
  const body = {
    // oxlint-disable-next-line typescript/require-await -- the body of a request is asynchronous by type
    async *[Symbol.asyncIterator]() {
      pulls += 1;
      yield new TextEncoder().encode('{}');
    },
  };
  const headers = new Headers({ 'content-type': 'application/json' });
  const url = `http://podkeep${CONFIG_MAPS}`;
  const { status } = await server.answer({ method: 'POST', url, headers, body });
  expect([status, pulls]).toEqual([403, 0]);
});
