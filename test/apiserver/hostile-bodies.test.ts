/** Expensive bodies: each is answered with a Status, and other requests are served. */
import { describe, expect, test } from 'vitest';
import { ApiServer } from '../../src/apiserver/http/api-server.ts';
import { readTyped } from '../../src/apiserver/decode/typed-object.ts';
import { builtInKinds } from '../../src/apiserver/kinds/built-in-kinds.ts';
import { textOf } from '../../src/apiserver/objects/metadata.ts';
import { openMemoryStore } from '../../src/apiserver/store/memory-store.ts';
import { structOf } from '../../src/api/schema/schema.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import { silentLog } from '../support/silent-ports.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { ApiHarness, CONFIG_MAPS } from './api-harness.ts';

const YAML = { 'content-type': 'application/yaml' };

describe('deep nesting', () => {
  const nested = (open: string, close: string, levels: number): string =>
    `${open.repeat(levels)}1${close.repeat(levels)}`;

  test.each([
    ['unclosed lists', '['.repeat(5000)],
    ['unclosed objects', '{"a":'.repeat(5000)],
    ['lists', nested('[', ']', 9000)],
    ['objects', nested('{"a":', '}', 9000)],
    ['more than any decoder takes', nested('{"a":', '}', 40_000)],
    ['labels', `{"metadata":{"labels":${nested('{"a":', '}', 600)}}}`],
  ])('is answered with 400: %s', async (_name, body) => {
    const harness = await ApiHarness.open();
    const types = ['application/json', 'application/yaml'];
    for (const type of types) {
      const answer = await harness.send('POST', CONFIG_MAPS, body, { 'content-type': type });
      expect(answer).toMatchObject({ code: 400, body: { kind: 'Status', reason: 'BadRequest' } });
    }
    await harness.create('a');
    for (const type of ['json-patch', 'merge-patch', 'strategic-merge-patch']) {
      const headers = { 'content-type': `application/${type}+json` };
      const answer = await harness.send('PATCH', `${CONFIG_MAPS}/a`, body, headers);
      expect(answer).toMatchObject({ code: 400, body: { kind: 'Status', reason: 'BadRequest' } });
    }
  });

  test('is counted inside a field of any shape, where patches could build it up', () => {
    const data = JSON.parse(nested('{"a":', '}', 600)) as JsonObject;
    const type = structOf('apps/v1.ControllerRevision');
    expect(() => readTyped({ data }, type)).toThrow('data is nested too deeply');
  });
});

test('YAML with thousands of keys is read in linear time', async () => {
  const harness = await ApiHarness.open();
  const keys = Array.from({ length: 16_000 }, (_, index) => `  key-${index}: v`);
  const before = process.cpuUsage();
  const text = `metadata: {name: many}\ndata:\n${keys.join('\n')}`;
  expect(await harness.send('POST', CONFIG_MAPS, text, YAML)).toMatchObject({ code: 201 });
  const again = await harness.send('POST', CONFIG_MAPS, `${text}\n  key-1: again`, YAML);
  expect(again.body['message']).toContain('Map keys must be unique at line 16003, column 3');
  // Time of this process: other work on the machine does not count.
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(8000);
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

describe('large objects', () => {
  const REVISIONS = '/apis/apps/v1/namespaces/default/controllerrevisions';
  const revision = (bytes: number) => ({
    metadata: { name: `r${bytes}` },
    revision: 1,
    data: { text: 'x'.repeat(bytes) },
  });

  test('are refused as etcd and kube-apiserver refuse them', async () => {
    const harness = await ApiHarness.open();
    const outcome = async (bytes: number) => {
      const { code, body } = await harness.send('POST', REVISIONS, revision(bytes));
      return [code, body['reason'], textOf(body['message']).slice(0, 100)];
    };
    expect(await outcome(1_500_000)).toEqual([201, undefined, '']);
    expect(await outcome(1_600_000)).toEqual([500, undefined, 'etcdserver: request is too large']);
    const [code, , message] = await outcome(2_200_000);
    expect([code, message]).toEqual([
      500,
      expect.stringContaining('trying to send message larger than max'),
    ]);
    expect(await outcome(3_200_000)).toEqual([
      413,
      'RequestEntityTooLarge',
      'Request entity too large: limit is 3145728',
    ]);
  });

  test('cannot be made by a patch of a smaller one', async () => {
    const harness = await ApiHarness.open();
    const template = {
      metadata: { labels: { a: 'b' } },
      spec: { containers: [{ name: 'c', image: 'i', args: ['x'.repeat(900_000)] }] },
    };
    const spec = { selector: { matchLabels: { a: 'b' } }, template };
    const path = '/apis/apps/v1/namespaces/default/deployments';
    await harness.send('POST', path, { metadata: { name: 'd' }, spec });
    const operation = { op: 'copy', from: '/spec/template/spec/containers/0/args/0' };
    const patch = [{ ...operation, path: '/spec/template/spec/containers/0/args/-' }];
    const type = { 'content-type': 'application/json-patch+json' };
    expect(await harness.send('PATCH', `${path}/d`, patch, type)).toMatchObject({
      code: 500,
      body: { message: 'etcdserver: request is too large' },
    });
  });

  test.each([
    ['fields', `{"metadata":{"name":"a"},${'"x":1,'.repeat(400_000)}"y":1}`],
    ['items', `{"metadata":{"name":"a","finalizers":[${'"",'.repeat(900_000)}""]}}`],
    ['objects', `{"metadata":{"name":"a","ownerReferences":[${'{},'.repeat(900_000)}{}]}}`],
  ])('with hundreds of thousands of %s are refused before they are parsed', async (_name, body) => {
    const harness = await ApiHarness.open();
    const startedMs = performance.now();
    const answer = await harness.send('POST', CONFIG_MAPS, body);
    expect(answer).toMatchObject({ code: 413, body: { reason: 'RequestEntityTooLarge' } });
    expect(performance.now() - startedMs).toBeLessThan(1000);
  });

  test('get an answer of bounded size, however many faults they have', async () => {
    const harness = await ApiHarness.open();
    const finalizers = Array.from({ length: 40_000 }, () => '_');
    const { code, body } = await harness.send('POST', CONFIG_MAPS, {
      metadata: { name: 'a', finalizers },
    });
    expect(code).toBe(422);
    expect(body['message']).toContain('more errors');
    expect(JSON.stringify(body).length).toBeLessThan(1_000_000);
  });

  test('have at most a hundred unknown fields named', async () => {
    const harness = await ApiHarness.open();
    const fields = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`f${at}`, 1]));
    const { code, warnings } = await harness.create('a', fields);
    expect(code).toBe(201);
    expect(warnings?.match(/unknown field/g)?.length).toBeLessThanOrEqual(100);
  });
});
