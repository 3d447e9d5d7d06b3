import { expect, test } from 'vitest';
import { configMaps } from '../../../src/apiserver/kinds/config-map.ts';
import { metadataOf, textOf, withMetadata } from '../../../src/apiserver/metadata.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { PLAIN_DELETION } from '../../../src/apiserver/controllers/deletion-request.ts';
import { widgets } from './custom-kind.ts';
import { ControllerStage, type Body } from './stage.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

function openStage(): Promise<ControllerStage> {
  return ControllerStage.open({ controllers: ['garbage-collector'] });
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

test('what is owned goes after its owner, and so on down', async () => {
  const stage = await openStage();
  const a = await stage.make(MAPS, 'a');
  const b = await stage.make(MAPS, 'b', owned(refTo(a)));
  await stage.make(MAPS, 'c', owned(refTo(b)));
  await stage.make(MAPS, 'free');
  await stage.settle();
  await stage.remove(`${MAPS}/a`);
  await stage.settle();
  expect(await stage.names(MAPS)).toEqual(['free']);
});

test('of several owners one is enough; references to the others are taken away', async () => {
  const stage = await openStage();
  const [a, b] = [await stage.make(MAPS, 'a'), await stage.make(MAPS, 'b')];
  await stage.make(MAPS, 'child', owned(refTo(a), refTo(b)));
  await stage.remove(`${MAPS}/a`);
  await stage.settle();
  const { body } = await stage.get(`${MAPS}/child`);
  expect(body.metadata['ownerReferences']).toEqual([refTo(b)]);
  await stage.remove(`${MAPS}/b`);
  await stage.settle();
  expect(await stage.has(`${MAPS}/child`)).toBe(false);
});

test('an owner that never was, or has another uid, is no owner', async () => {
  const stage = await openStage();
  const a = await stage.make(MAPS, 'a');
  await stage.make(MAPS, 'x', owned(refTo(a, { name: 'never' })));
  await stage.make(MAPS, 'y', owned(refTo(a, { uid: 'another' })));
  await stage.settle();
  expect(await stage.names(MAPS)).toEqual(['a']);
});

test('an owner of a kind that nobody knows is waited for', async () => {
  const stage = await openStage();
  const ref = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid: 'u' };
  await stage.make(MAPS, 'x', owned(ref));
  await stage.settle(3_600_000);
  expect(await stage.has(`${MAPS}/x`)).toBe(true);
});

test('what is in no namespace may own what is in one, but not the other way round', async () => {
  const stage = await openStage();
  const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
  const role = await stage.make(roles, 'r');
  const map = await stage.make(MAPS, 'm', owned(refTo(role)));
  await stage.make(roles, 'wrong', owned(refTo(map)));
  await stage.settle(60_000);
  expect(await stage.names(roles)).toEqual(['r', 'wrong']);
  await stage.remove(`${roles}/r`);
  await stage.settle(60_000);
  expect(await stage.names(MAPS)).toEqual([]);
  expect(await stage.names(roles)).toEqual(['wrong']);
});

test('an owner in another namespace is none, and an event says so', async () => {
  const stage = await openStage();
  await stage.make('/api/v1/namespaces', 'shop');
  const owner = await stage.make('/api/v1/namespaces/shop/configmaps', 'o');
  await stage.make(MAPS, 'x', owned(refTo(owner)));
  await stage.settle();
  expect(await stage.has(`${MAPS}/x`)).toBe(false);
  const [event] = await stage.list('/api/v1/namespaces/default/events');
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
  const stage = await openStage();
  const a = await stage.make(MAPS, 'a');
  const metadata = {
    finalizers: ['example.com/hold'],
    ownerReferences: [refTo(a, { blockOwnerDeletion: true })],
  };
  await stage.make(MAPS, 'b', { metadata });
  await stage.make(MAPS, 'c', owned(refTo(a)));
  await stage.remove(`${MAPS}/a`, foreground);
  await stage.settle(60_000);
  expect(await stage.names(MAPS)).toEqual(['a', 'b']);
  expect((await stage.get(`${MAPS}/a`)).body.metadata).toMatchObject({
    finalizers: ['foregroundDeletion'],
  });
  await stage.patch(`${MAPS}/b`, { metadata: { finalizers: null } });
  await stage.settle();
  expect(await stage.names(MAPS)).toEqual([]);
});

test('in the foreground, a dependent that no longer blocks is not waited for', async () => {
  const stage = await openStage();
  const a = await stage.make(MAPS, 'a');
  const blocking = refTo(a, { blockOwnerDeletion: true });
  const finalizers = ['example.com/hold'];
  await stage.make(MAPS, 'b', { metadata: { finalizers, ownerReferences: [blocking] } });
  await stage.remove(`${MAPS}/a`, foreground);
  await stage.settle();
  await stage.patch(`${MAPS}/b`, { metadata: { ownerReferences: null } });
  await stage.settle();
  expect(await stage.names(MAPS)).toEqual(['b']);
});

test('in the foreground, whoever has another owner stays, and is not waited for', async () => {
  const stage = await openStage();
  const [a, b] = [await stage.make(MAPS, 'a'), await stage.make(MAPS, 'b')];
  await stage.make(MAPS, 'child', owned(refTo(a, { blockOwnerDeletion: true }), refTo(b)));
  await stage.remove(`${MAPS}/a`, foreground);
  await stage.settle();
  expect(await stage.names(MAPS)).toEqual(['b', 'child']);
});

test('the leaves of a tree go before its root', async () => {
  const stage = await openStage();
  const block = { blockOwnerDeletion: true };
  const root = await stage.make(MAPS, 'root');
  const branch = await stage.make(MAPS, 'branch', owned(refTo(root, block)));
  await stage.make(MAPS, 'leaf', owned(refTo(branch, block)));
  const gone: string[] = [];
  stage.store.watch('/core/configmaps/', stage.store.revision, ({ type, key }) => {
    if (type === 'delete') gone.push(key.slice(key.lastIndexOf('/') + 1));
  });
  await stage.remove(`${MAPS}/root`, foreground);
  await stage.settle();
  expect(gone).toEqual(['leaf', 'branch', 'root']);
});

test('orphans forget their owner, which then goes', async () => {
  const stage = await openStage();
  const [a, b] = [await stage.make(MAPS, 'a'), await stage.make(MAPS, 'b')];
  await stage.make(MAPS, 'x', owned(refTo(a)));
  await stage.make(MAPS, 'y', owned(refTo(a), refTo(b)));
  await stage.remove(`${MAPS}/a`, orphan);
  await stage.settle();
  expect(await stage.names(MAPS)).toEqual(['b', 'x', 'y']);
  expect((await stage.get(`${MAPS}/x`)).body.metadata).not.toHaveProperty('ownerReferences');
  expect((await stage.get(`${MAPS}/y`)).body.metadata['ownerReferences']).toEqual([refTo(b)]);
});

async function makeCircle(stage: ControllerStage, length: number): Promise<void> {
  const block = { blockOwnerDeletion: true };
  const first = await stage.make(MAPS, 'o0');
  let last = first;
  for (let index = 1; index < length; index++) {
    last = await stage.make(MAPS, `o${index}`, owned(refTo(last, block)));
  }
  await stage.patch(`${MAPS}/o0`, owned(refTo(last, block)));
  await stage.settle();
}

test.each([1, 2, 3, 7])('a circle of %i that is deleted in the foreground ends', async (length) => {
  const stage = await openStage();
  await makeCircle(stage, length);
  await stage.remove(`${MAPS}/o0`, foreground);
  await stage.settle(60_000);
  expect(await stage.names(MAPS)).toEqual([]);
});

test('a circle of which all are deleted in the foreground at once ends', async () => {
  const stage = await openStage();
  await makeCircle(stage, 4);
  await Promise.all([0, 1, 2, 3].map((index) => stage.remove(`${MAPS}/o${index}`, foreground)));
  await stage.settle(60_000);
  expect(await stage.names(MAPS)).toEqual([]);
});

test('after a restart everything is looked at anew', async () => {
  const stage = await openStage();
  const a = await stage.make(MAPS, 'a');
  await stage.make(MAPS, 'x', owned(refTo(a)));
  const b = await stage.make(MAPS, 'b');
  await stage.make(MAPS, 'y', owned(refTo(b, { blockOwnerDeletion: true })));
  await stage.stop();
  await stage.remove(`${MAPS}/a`);
  await stage.remove(`${MAPS}/b`, foreground);
  await stage.settle(60_000);
  expect(await stage.names(MAPS)).toEqual(['b', 'x', 'y']);
  stage.start();
  await stage.settle();
  expect(await stage.names(MAPS)).toEqual([]);
});

test('whoever is adopted in the very moment in which its owner goes stays', async () => {
  const stage = await openStage();
  const [a, b] = [await stage.make(MAPS, 'a'), await stage.make(MAPS, 'b')];
  await stage.make(MAPS, 'child', owned(refTo(a)));
  const { store, registry } = stage.server.parts;
  const target = { definition: configMaps, namespace: 'default', name: 'child' };
  store.watch('/core/configmaps/default/a', store.revision, ({ type }) => {
    if (type !== 'delete') return;
    const change = (old: JsonObject): JsonObject =>
      withMetadata(old, { ownerReferences: [refTo(b)] });
    void registry.update({ ...target, change });
  });
  await stage.remove(`${MAPS}/a`);
  await stage.settle(60_000);
  expect(await stage.names(MAPS)).toEqual(['b', 'child']);
});

test('a kind that comes later is an owner from then on, and owned', async () => {
  const stage = await openStage();
  const { catalog, registry } = stage.server.parts;
  const ref = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'w' };
  await stage.make(MAPS, 'lost', owned({ ...ref, uid: 'never' }));
  await stage.settle();
  catalog.add(widgets);
  const body = { metadata: { name: 'w' } };
  const widget = await registry.create({ definition: widgets, namespace: 'default', body });
  const uid = textOf(metadataOf(widget)['uid']);
  const map = await stage.make(MAPS, 'map', owned({ ...ref, uid }));
  const child = { metadata: { name: 'child', ownerReferences: [refTo(map)] } };
  await registry.create({ definition: widgets, namespace: 'default', body: child });
  await stage.settle(3_600_000);
  expect(await stage.names(MAPS)).toEqual(['map']);
  const target = { definition: widgets, namespace: 'default', name: 'w' };
  await registry.remove(target, PLAIN_DELETION);
  await stage.settle();
  expect(await stage.names(MAPS)).toEqual([]);
  expect(stage.store.list('/example.com/').objects).toEqual([]);
});
