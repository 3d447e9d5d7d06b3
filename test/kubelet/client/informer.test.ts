import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../src/platform/seeded-random.ts';
import { isJsonObject, type JsonObject } from '../../../src/lib/json.ts';
import { CONFIG_MAPS } from '../../apiserver/api-harness.ts';
import { FaultyTransport } from './faulty-transport.ts';
import { ClientHarness } from './client-harness.ts';

function nameOf({ metadata }: JsonObject): string {
  const name = isJsonObject(metadata) ? metadata['name'] : undefined;
  return typeof name === 'string' ? name : '';
}

/** What handlers were called with, as a separate copy. */
function follow(harness: ClientHarness, path = CONFIG_MAPS) {
  const notified: string[] = [];
  const copy = new Map<string, JsonObject>();
  const informer = harness.startInformer({
    path,
    handlers: {
      added: (object) => {
        notified.push(`added ${nameOf(object)}`);
        copy.set(nameOf(object), object);
      },
      updated: (_before, object) => {
        notified.push(`updated ${nameOf(object)}`);
        copy.set(nameOf(object), object);
      },
      deleted: (object) => {
        notified.push(`deleted ${nameOf(object)}`);
        copy.delete(nameOf(object));
      },
    },
  });
  return { notified, copy, informer };
}

describe('an informer of the embedded server', () => {
  test('has the existing objects and the new ones', async () => {
    const harness = await ClientHarness.open();
    await harness.server.create('early');
    const { notified, informer } = follow(harness);
    await harness.clock.pass(0);
    expect([notified, informer.hasSynced]).toEqual([['added early'], true]);
    await harness.server.create('late');
    await harness.server.send('PUT', `${CONFIG_MAPS}/late`, {
      metadata: { name: 'late' },
      data: { a: 'b' },
    });
    await harness.server.send('DELETE', `${CONFIG_MAPS}/early`);
    await harness.clock.pass(0);
    expect(notified.slice(1)).toEqual(['added late', 'updated late', 'deleted early']);
    expect(informer.get('default/late')).toMatchObject({ kind: 'ConfigMap', data: { a: 'b' } });
  });

  test('follows for a day, over watches that end every few minutes', async () => {
    const harness = await ClientHarness.open();
    const { notified } = follow(harness);
    for (let hour = 0; hour < 24; hour += 1) {
      await harness.clock.pass(3_600_000);
      await harness.server.create(`hour-${hour}`);
    }
    await harness.clock.pass(0);
    expect(notified).toEqual(Array.from({ length: 24 }, (_, hour) => `added hour-${hour}`));
  });

  test('lists again what it missed when the server has compacted its version', async () => {
    let isCut = false;
    const harness = await ClientHarness.open((inner) => ({
      close: () => inner.close(),
      send: (request, signal) =>
        isCut ? Promise.reject(new Error('no network')) : inner.send(request, signal),
    }));
    await harness.server.create('stays');
    await harness.server.create('goes');
    const { notified, informer } = follow(harness);
    await harness.clock.pass(0);
    isCut = true;
    // The watch ends by its own timeout, and cannot be opened again for a while.
    await harness.clock.pass(1_000_000);
    await harness.server.send('DELETE', `${CONFIG_MAPS}/goes`);
    await harness.server.create('comes');
    harness.server.store.compact(harness.server.store.revision);
    await harness.server.create('later');
    notified.length = 0;
    isCut = false;
    await harness.clock.pass(60_000);
    expect(notified).toEqual(['deleted goes', 'added comes', 'added later']);
    expect(informer.list()).toHaveLength(3);
  });

  test('does not use again what the server refused to another informer', async () => {
    const targets: string[] = [];
    const harness = await ClientHarness.open((inner) => ({
      close: () => inner.close(),
      send: (request, signal) => {
        targets.push(request.target);
        if (!request.target.includes('sendInitialEvents')) return inner.send(request, signal);
        const body = JSON.stringify({ kind: 'Status', code: 422, reason: 'Invalid' });
        return Promise.resolve({ status: 422, header: () => null, body });
      },
    }));
    follow(harness);
    await harness.clock.pass(0);
    follow(harness);
    await harness.clock.pass(0);
    expect(targets.filter((target) => target.includes('sendInitialEvents'))).toHaveLength(1);
    expect(targets).toHaveLength(5);
  });

  test('uses its selector', async () => {
    const harness = await ClientHarness.open();
    await harness.createPod('here');
    await harness.createPod('elsewhere', {
      spec: { nodeName: 'node2', containers: [{ name: 'c', image: 'i' }] },
    });
    const informer = harness.startInformer({
      path: '/api/v1/pods',
      fieldSelector: 'spec.nodeName=node1',
    });
    await harness.clock.pass(0);
    expect(informer.list().map(nameOf)).toEqual(['here']);
  });
});

test.each(Array.from({ length: 12 }, (_, seed) => seed))(
  'whatever the network does, its copy is that of the server in the end (seed %i)',
  async (seed) => {
    const random = seededRandom(seed);
    let network: FaultyTransport | undefined;
    const harness = await ClientHarness.open(
      (inner) => (network = new FaultyTransport(inner, seededRandom(seed + 1000))),
    );
    const { copy, informer } = follow(harness);
    for (let step = 0; step < 120; step += 1) {
      const name = `map-${Math.floor(random.next() * 6)}`;
      const data = { step: String(step) };
      const { code } = await harness.server.create(name, { data });
      if (code === 409 && random.next() < 0.4) {
        await harness.server.send('DELETE', `${CONFIG_MAPS}/${name}`);
      } else if (code === 409) {
        await harness.server.send('PUT', `${CONFIG_MAPS}/${name}`, { metadata: { name }, data });
      }
      if (random.next() < 0.05) harness.server.store.compact(harness.server.store.revision);
      await harness.clock.pass(Math.floor(random.next() * 20_000));
      expect(new Set(informer.list())).toEqual(new Set(copy.values()));
    }
    expect(network?.faults).toBeGreaterThan(10);
    if (network) network.isHealed = true;
    await harness.clock.pass(120_000);
    const { body } = await harness.server.send('GET', CONFIG_MAPS);
    const items = (body['items'] as readonly JsonObject[]).map(
      ({ metadata, data }): [string, unknown] => [nameOf({ metadata: metadata ?? {} }), data],
    );
    const copied = [...copy].map(([name, { data }]): [string, unknown] => [name, data]);
    expect(new Map(copied)).toEqual(new Map(items));
    expect(informer.list()).toHaveLength(items.length);
  },
);
