import { expect, test } from 'vitest';
import { configMaps } from '../../../src/apiserver/kinds/core/config-map.ts';
import { metadataOf, textOf, withMetadata } from '../../../src/apiserver/objects/metadata.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { PLAIN_DELETION } from '../../../src/apiserver/controllers/deletion-request.ts';
import { widgets } from './custom-kind.ts';
import { ControllerHarness, type Body } from './controller-harness.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

function openHarness(): Promise<ControllerHarness> {
  return ControllerHarness.open({ controllers: ['garbage-collector'] });
}

function refTo(owner: Body, fields: JsonObject = {}): JsonObject {
  const { apiVersion = '', kind = '', metadata } = owner;
  const { name = '', uid = '' } = metadata;
  return { apiVersion, kind, name, uid, ...fields };
}

function owned(...ownerReferences: readonly JsonObject[]): JsonObject {
  return { metadata: { ownerReferences } };
}

const foreground = { propagationPolicy: 'Foreground' };
const orphan = { propagationPolicy: 'Orphan' };

test('dependents are deleted after their owner, at every level', async () => {
  const harness = await openHarness();
  const a = await harness.make(MAPS, 'a');
  const b = await harness.make(MAPS, 'b', owned(refTo(a)));
  await harness.make(MAPS, 'c', owned(refTo(b)));
  await harness.make(MAPS, 'free');
  await harness.settle();
  await harness.remove(`${MAPS}/a`);
  await harness.settle();
  expect(await harness.names(MAPS)).toEqual(['free']);
});

test('of several owners one is enough; references to the others are removed', async () => {
  const harness = await openHarness();
  const [a, b] = [await harness.make(MAPS, 'a'), await harness.make(MAPS, 'b')];
  await harness.make(MAPS, 'child', owned(refTo(a), refTo(b)));
  await harness.remove(`${MAPS}/a`);
  await harness.settle();
  const { body } = await harness.get(`${MAPS}/child`);
  expect(body.metadata['ownerReferences']).toEqual([refTo(b)]);
  await harness.remove(`${MAPS}/b`);
  await harness.settle();
  expect(await harness.has(`${MAPS}/child`)).toBe(false);
});

test('an owner that never existed, or has another uid, is no owner', async () => {
  const harness = await openHarness();
  const a = await harness.make(MAPS, 'a');
  await harness.make(MAPS, 'x', owned(refTo(a, { name: 'never' })));
  await harness.make(MAPS, 'y', owned(refTo(a, { uid: 'another' })));
  await harness.settle();
  expect(await harness.names(MAPS)).toEqual(['a']);
});

test('an owner of an unknown kind is waited for', async () => {
  const harness = await openHarness();
  const ref = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid: 'u' };
  await harness.make(MAPS, 'x', owned(ref));
  await harness.settle(3_600_000);
  expect(await harness.has(`${MAPS}/x`)).toBe(true);
});

test('a cluster-scoped object may own a namespaced one, but not the other way round', async () => {
  const harness = await openHarness();
  const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
  const role = await harness.make(roles, 'r');
  const map = await harness.make(MAPS, 'm', owned(refTo(role)));
  await harness.make(roles, 'wrong', owned(refTo(map)));
  await harness.settle(60_000);
  expect(await harness.names(roles)).toEqual(['r', 'wrong']);
  await harness.remove(`${roles}/r`);
  await harness.settle(60_000);
  expect(await harness.names(MAPS)).toEqual([]);
  expect(await harness.names(roles)).toEqual(['wrong']);
});

test('an owner in another namespace is none, and an event says so', async () => {
  const harness = await openHarness();
  await harness.make('/api/v1/namespaces', 'shop');
  const owner = await harness.make('/api/v1/namespaces/shop/configmaps', 'o');
  await harness.make(MAPS, 'x', owned(refTo(owner)));
  await harness.settle();
  expect(await harness.has(`${MAPS}/x`)).toBe(false);
  const [event] = await harness.list('/api/v1/namespaces/default/events');
  const uid = textOf(owner.metadata['uid']);
  expect(event).toMatchObject({
    type: 'Warning',
    reason: 'OwnerRefInvalidNamespace',
    message: `ownerRef [v1/ConfigMap, namespace: default, name: o, uid: ${uid}] does not exist in namespace "default"`,
    involvedObject: { kind: 'ConfigMap', name: 'x', namespace: 'default' },
    source: { component: 'garbage-collector-controller' },
    count: 1,
  });
});

test('in the foreground, dependents that block go first', async () => {
  const harness = await openHarness();
  const a = await harness.make(MAPS, 'a');
  const metadata = {
    finalizers: ['example.com/hold'],
    ownerReferences: [refTo(a, { blockOwnerDeletion: true })],
  };
  await harness.make(MAPS, 'b', { metadata });
  await harness.make(MAPS, 'c', owned(refTo(a)));
  await harness.remove(`${MAPS}/a`, foreground);
  await harness.settle(60_000);
  expect(await harness.names(MAPS)).toEqual(['a', 'b']);
  expect((await harness.get(`${MAPS}/a`)).body.metadata).toMatchObject({
    finalizers: ['foregroundDeletion'],
  });
  await harness.patch(`${MAPS}/b`, { metadata: { finalizers: null } });
  await harness.settle();
  expect(await harness.names(MAPS)).toEqual([]);
});

test('in the foreground, a dependent that no longer blocks is not waited for', async () => {
  const harness = await openHarness();
  const a = await harness.make(MAPS, 'a');
  const blocking = refTo(a, { blockOwnerDeletion: true });
  const finalizers = ['example.com/hold'];
  await harness.make(MAPS, 'b', { metadata: { finalizers, ownerReferences: [blocking] } });
  await harness.remove(`${MAPS}/a`, foreground);
  await harness.settle();
  await harness.patch(`${MAPS}/b`, { metadata: { ownerReferences: null } });
  await harness.settle();
  expect(await harness.names(MAPS)).toEqual(['b']);
});

test('in the foreground, a dependent with another owner stays, and is not waited for', async () => {
  const harness = await openHarness();
  const [a, b] = [await harness.make(MAPS, 'a'), await harness.make(MAPS, 'b')];
  await harness.make(MAPS, 'child', owned(refTo(a, { blockOwnerDeletion: true }), refTo(b)));
  await harness.remove(`${MAPS}/a`, foreground);
  await harness.settle();
  expect(await harness.names(MAPS)).toEqual(['b', 'child']);
});

test('the leaves of a tree go before its root', async () => {
  const harness = await openHarness();
  const block = { blockOwnerDeletion: true };
  const root = await harness.make(MAPS, 'root');
  const branch = await harness.make(MAPS, 'branch', owned(refTo(root, block)));
  await harness.make(MAPS, 'leaf', owned(refTo(branch, block)));
  const gone: string[] = [];
  harness.store.watch('/core/configmaps/', harness.store.revision, ({ type, key }) => {
    if (type === 'delete') gone.push(key.slice(key.lastIndexOf('/') + 1));
  });
  await harness.remove(`${MAPS}/root`, foreground);
  await harness.settle();
  expect(gone).toEqual(['leaf', 'branch', 'root']);
});

test('orphans lose their owner reference, then the owner goes', async () => {
  const harness = await openHarness();
  const [a, b] = [await harness.make(MAPS, 'a'), await harness.make(MAPS, 'b')];
  await harness.make(MAPS, 'x', owned(refTo(a)));
  await harness.make(MAPS, 'y', owned(refTo(a), refTo(b)));
  await harness.remove(`${MAPS}/a`, orphan);
  await harness.settle();
  expect(await harness.names(MAPS)).toEqual(['b', 'x', 'y']);
  expect((await harness.get(`${MAPS}/x`)).body.metadata).not.toHaveProperty('ownerReferences');
  expect((await harness.get(`${MAPS}/y`)).body.metadata['ownerReferences']).toEqual([refTo(b)]);
});

async function makeCircle(harness: ControllerHarness, length: number): Promise<void> {
  const block = { blockOwnerDeletion: true };
  const first = await harness.make(MAPS, 'o0');
  let last = first;
  for (let index = 1; index < length; index++) {
    last = await harness.make(MAPS, `o${index}`, owned(refTo(last, block)));
  }
  await harness.patch(`${MAPS}/o0`, owned(refTo(last, block)));
  await harness.settle();
}

test.each([1, 2, 3, 7])('a cycle of %i that is deleted in the foreground ends', async (length) => {
  const harness = await openHarness();
  await makeCircle(harness, length);
  await harness.remove(`${MAPS}/o0`, foreground);
  await harness.settle(60_000);
  expect(await harness.names(MAPS)).toEqual([]);
});

test('a cycle of which all are deleted in the foreground at once ends', async () => {
  const harness = await openHarness();
  await makeCircle(harness, 4);
  await Promise.all([0, 1, 2, 3].map((index) => harness.remove(`${MAPS}/o${index}`, foreground)));
  await harness.settle(60_000);
  expect(await harness.names(MAPS)).toEqual([]);
});

test('after a restart everything is checked again', async () => {
  const harness = await openHarness();
  const a = await harness.make(MAPS, 'a');
  await harness.make(MAPS, 'x', owned(refTo(a)));
  const b = await harness.make(MAPS, 'b');
  await harness.make(MAPS, 'y', owned(refTo(b, { blockOwnerDeletion: true })));
  await harness.stop();
  await harness.remove(`${MAPS}/a`);
  await harness.remove(`${MAPS}/b`, foreground);
  await harness.settle(60_000);
  expect(await harness.names(MAPS)).toEqual(['b', 'x', 'y']);
  harness.start();
  await harness.settle();
  expect(await harness.names(MAPS)).toEqual([]);
});

test('a dependent that is adopted just when its owner goes stays', async () => {
  const harness = await openHarness();
  const [a, b] = [await harness.make(MAPS, 'a'), await harness.make(MAPS, 'b')];
  await harness.make(MAPS, 'child', owned(refTo(a)));
  const { store, registry } = harness.server.parts;
  const target = { definition: configMaps, namespace: 'default', name: 'child' };
  store.watch('/core/configmaps/default/a', store.revision, ({ type }) => {
    if (type !== 'delete') return;
    const change = (old: JsonObject): JsonObject =>
      withMetadata(old, { ownerReferences: [refTo(b)] });
    void registry.update({ ...target, change });
  });
  await harness.remove(`${MAPS}/a`);
  await harness.settle(60_000);
  expect(await harness.names(MAPS)).toEqual(['b', 'child']);
});

test('a kind that is defined later can own and be owned from then on', async () => {
  const harness = await openHarness();
  const { catalog, registry } = harness.server.parts;
  const ref = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'w' };
  await harness.make(MAPS, 'lost', owned({ ...ref, uid: 'never' }));
  await harness.settle();
  catalog.add(widgets);
  const body = { metadata: { name: 'w' } };
  const widget = await registry.create({ definition: widgets, namespace: 'default', body });
  const uid = textOf(metadataOf(widget)['uid']);
  const map = await harness.make(MAPS, 'map', owned({ ...ref, uid }));
  const child = { metadata: { name: 'child', ownerReferences: [refTo(map)] } };
  await registry.create({ definition: widgets, namespace: 'default', body: child });
  await harness.settle(3_600_000);
  expect(await harness.names(MAPS)).toEqual(['map']);
  const target = { definition: widgets, namespace: 'default', name: 'w' };
  await registry.remove(target, PLAIN_DELETION);
  await harness.settle();
  expect(await harness.names(MAPS)).toEqual([]);
  expect(harness.store.list('/example.com/').objects).toEqual([]);
});
