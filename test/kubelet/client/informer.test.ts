import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../src/platform/seeded-random.ts';
import { isJsonObject, type JsonObject } from '../../../src/lib/json.ts';
import { CONFIG_MAPS } from '../../apiserver/stage.ts';
import { FaultyTransport } from './faulty-transport.ts';
import { ClientStage } from './stage.ts';

function nameOf({ metadata }: JsonObject): string {
  const name = isJsonObject(metadata) ? metadata['name'] : undefined;
  return typeof name === 'string' ? name : '';
}

/** What handlers were told, as a copy of its own. */
function follow(stage: ClientStage, path = CONFIG_MAPS) {
  const told: string[] = [];
  const copy = new Map<string, JsonObject>();
  const informer = stage.startInformer({
    path,
    handlers: {
      added: (object) => {
        told.push(`added ${nameOf(object)}`);
        copy.set(nameOf(object), object);
      },
      updated: (_before, object) => {
        told.push(`updated ${nameOf(object)}`);
        copy.set(nameOf(object), object);
      },
      deleted: (object) => {
        told.push(`deleted ${nameOf(object)}`);
        copy.delete(nameOf(object));
      },
    },
  });
  return { told, copy, informer };
}

describe('an informer of the embedded server', () => {
  test('has what there was and what comes', async () => {
    const stage = await ClientStage.open();
    await stage.server.create('early');
    const { told, informer } = follow(stage);
    await stage.clock.pass(0);
    expect([told, informer.hasSynced]).toEqual([['added early'], true]);
    await stage.server.create('late');
    await stage.server.send('PUT', `${CONFIG_MAPS}/late`, {
      metadata: { name: 'late' },
      data: { a: 'b' },
    });
    await stage.server.send('DELETE', `${CONFIG_MAPS}/early`);
    await stage.clock.pass(0);
    expect(told.slice(1)).toEqual(['added late', 'updated late', 'deleted early']);
    expect(informer.get('default/late')).toMatchObject({ kind: 'ConfigMap', data: { a: 'b' } });
  });

  test('follows for a day, over watches that end every few minutes', async () => {
    const stage = await ClientStage.open();
    const { told } = follow(stage);
    for (let hour = 0; hour < 24; hour += 1) {
      await stage.clock.pass(3_600_000);
      await stage.server.create(`hour-${hour}`);
    }
    await stage.clock.pass(0);
    expect(told).toEqual(Array.from({ length: 24 }, (_, hour) => `added hour-${hour}`));
  });

  test('reads anew what it missed when the server has forgotten its place', async () => {
    let isCut = false;
    const stage = await ClientStage.open((inner) => ({
      close: () => inner.close(),
      send: (request, signal) =>
        isCut ? Promise.reject(new Error('no network')) : inner.send(request, signal),
    }));
    await stage.server.create('stays');
    await stage.server.create('goes');
    const { told, informer } = follow(stage);
    await stage.clock.pass(0);
    isCut = true;
    // The watch ends by its own time, and cannot be opened again for a while.
    await stage.clock.pass(1_000_000);
    await stage.server.send('DELETE', `${CONFIG_MAPS}/goes`);
    await stage.server.create('comes');
    stage.server.store.compact(stage.server.store.revision);
    await stage.server.create('later');
    told.length = 0;
    isCut = false;
    await stage.clock.pass(60_000);
    expect(told).toEqual(['deleted goes', 'added comes', 'added later']);
    expect(informer.list()).toHaveLength(3);
  });

  test('does not ask again for what the server refused to another one', async () => {
    const targets: string[] = [];
    const stage = await ClientStage.open((inner) => ({
      close: () => inner.close(),
      send: (request, signal) => {
        targets.push(request.target);
        if (!request.target.includes('sendInitialEvents')) return inner.send(request, signal);
        const body = JSON.stringify({ kind: 'Status', code: 422, reason: 'Invalid' });
        return Promise.resolve({ status: 422, header: () => null, body });
      },
    }));
    follow(stage);
    await stage.clock.pass(0);
    follow(stage);
    await stage.clock.pass(0);
    expect(targets.filter((target) => target.includes('sendInitialEvents'))).toHaveLength(1);
    expect(targets).toHaveLength(5);
  });

  test('selects as it was told to', async () => {
    const stage = await ClientStage.open();
    await stage.createPod('here');
    await stage.createPod('elsewhere', {
      spec: { nodeName: 'node2', containers: [{ name: 'c', image: 'i' }] },
    });
    const informer = stage.startInformer({
      path: '/api/v1/pods',
      fieldSelector: 'spec.nodeName=node1',
    });
    await stage.clock.pass(0);
    expect(informer.list().map(nameOf)).toEqual(['here']);
  });
});

test.each(Array.from({ length: 12 }, (_, seed) => seed))(
  'whatever the network does, the copy is that of the server in the end (seed %i)',
  async (seed) => {
    const random = seededRandom(seed);
    let network: FaultyTransport | undefined;
    const stage = await ClientStage.open(
      (inner) => (network = new FaultyTransport(inner, seededRandom(seed + 1000))),
    );
    const { copy, informer } = follow(stage);
    for (let step = 0; step < 120; step += 1) {
      const name = `map-${Math.floor(random.next() * 6)}`;
      const data = { step: String(step) };
      const { code } = await stage.server.create(name, { data });
      if (code === 409 && random.next() < 0.4) {
        await stage.server.send('DELETE', `${CONFIG_MAPS}/${name}`);
      } else if (code === 409) {
        await stage.server.send('PUT', `${CONFIG_MAPS}/${name}`, { metadata: { name }, data });
      }
      if (random.next() < 0.05) stage.server.store.compact(stage.server.store.revision);
      await stage.clock.pass(Math.floor(random.next() * 20_000));
      expect(new Set(informer.list())).toEqual(new Set(copy.values()));
    }
    expect(network?.faults).toBeGreaterThan(10);
    if (network) network.isHealed = true;
    await stage.clock.pass(120_000);
    const { body } = await stage.server.send('GET', CONFIG_MAPS);
    const items = (body['items'] as readonly JsonObject[]).map(
      ({ metadata, data }): [string, unknown] => [nameOf({ metadata: metadata ?? {} }), data],
    );
    const copied = [...copy].map(([name, { data }]): [string, unknown] => [name, data]);
    expect(new Map(copied)).toEqual(new Map(items));
    expect(informer.list()).toHaveLength(items.length);
  },
);
