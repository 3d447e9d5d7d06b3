import { expect, test } from 'vitest';
import { textOf, withMetadata } from '../../../src/apiserver/metadata.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { widgets } from './custom-kind.ts';
import { ControllerStage } from './stage.ts';

const SHOP = '/api/v1/namespaces/shop';
const spec = { containers: [{ name: 'c', image: 'nginx:1' }] };

async function openShop(): Promise<ControllerStage> {
  const stage = await ControllerStage.open({ controllers: ['namespace'] });
  await stage.make('/api/v1/namespaces', 'shop');
  await stage.make(`${SHOP}/serviceaccounts`, 'default');
  return stage;
}

async function conditionsOf(stage: ControllerStage): Promise<Readonly<Record<string, string>>> {
  const { body } = await stage.get(SHOP);
  const { conditions = [] } = body['status'] as { conditions?: readonly JsonObject[] };
  return Object.fromEntries(
    conditions.map(({ type, status, reason, message }) => [
      textOf(type),
      `${textOf(status)} ${textOf(reason)}: ${textOf(message)}`,
    ]),
  );
}

test('an empty namespace that is deleted goes at once', async () => {
  const stage = await openShop();
  expect((await stage.remove(SHOP)).body['status']).toMatchObject({ phase: 'Terminating' });
  await stage.settle();
  expect(await stage.has(SHOP)).toBe(false);
});

test('what is in a namespace goes with it, and what is beside it stays', async () => {
  const stage = await openShop();
  await stage.make(`${SHOP}/configmaps`, 'a');
  await stage.make(`${SHOP}/secrets`, 'b');
  await stage.make('/apis/apps/v1/namespaces/shop/deployments', 'd', {
    spec: {
      selector: { matchLabels: { app: 'x' } },
      template: { metadata: { labels: { app: 'x' } }, spec },
    },
  });
  await stage.make('/api/v1/namespaces/default/configmaps', 'a');
  await stage.remove(SHOP);
  await stage.settle();
  expect(await stage.has(SHOP)).toBe(false);
  expect(stage.store.list('/').objects.map(({ key }) => key)).toEqual([
    '/core/configmaps/default/a',
    '/core/namespaces/default',
    '/core/serviceaccounts/default/default',
  ]);
});

test('pods get their grace, and everything else waits for them', async () => {
  const stage = await openShop();
  await stage.make(`${SHOP}/configmaps`, 'a');
  await stage.make(`${SHOP}/pods`, 'p', { spec: { ...spec, nodeName: 'n1' } });
  await stage.remove(SHOP);
  await stage.settle(1000);
  expect((await stage.get(`${SHOP}/pods/p`)).body.metadata).toMatchObject({
    deletionGracePeriodSeconds: 30,
  });
  expect(await stage.has(`${SHOP}/configmaps/a`)).toBe(true);
  expect(await conditionsOf(stage)).toMatchObject({
    NamespaceContentRemaining: 'False ContentRemoved: All content successfully removed',
  });
  await stage.remove(`${SHOP}/pods/p?gracePeriodSeconds=0`);
  await stage.settle();
  expect(await stage.has(SHOP)).toBe(false);
});

test('a pod that outlives its grace is called unexpected', async () => {
  const stage = await openShop();
  await stage.make(`${SHOP}/pods`, 'p', { spec: { ...spec, nodeName: 'n1' } });
  await stage.remove(SHOP);
  await stage.settle(31_000);
  expect(await conditionsOf(stage)).toMatchObject({
    NamespaceDeletionContentFailure:
      'True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: ' +
      'unexpected items still remain in namespace: shop for gvr: /v1, Resource=pods',
  });
});

test('finalizers hold a namespace, its conditions say which, and their end lets it go', async () => {
  const stage = await openShop();
  const metadata = { finalizers: ['example.com/keep', 'example.com/too'] };
  await stage.make(`${SHOP}/configmaps`, 'a', { metadata });
  await stage.make(`${SHOP}/secrets`, 's', { metadata: { finalizers: ['example.com/keep'] } });
  await stage.remove(SHOP);
  await stage.settle(1000);
  expect(await conditionsOf(stage)).toEqual({
    NamespaceDeletionDiscoveryFailure:
      'False ResourcesDiscovered: All resources successfully discovered',
    NamespaceDeletionGroupVersionParsingFailure:
      'False ParsedGroupVersions: All legacy kube types successfully parsed',
    NamespaceDeletionContentFailure:
      'False ContentDeleted: All content successfully deleted, may be waiting on finalization',
    NamespaceContentRemaining:
      'True SomeResourcesRemain: Some resources are remaining: ' +
      'configmaps. has 1 resource instances, secrets. has 1 resource instances',
    NamespaceFinalizersRemaining:
      'True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: ' +
      'example.com/keep in 2 resource instances, example.com/too in 1 resource instances',
  });
  await stage.patch(`${SHOP}/configmaps/a`, { metadata: { finalizers: null } });
  await stage.settle();
  expect(await conditionsOf(stage)).toMatchObject({
    NamespaceContentRemaining:
      'True SomeResourcesRemain: Some resources are remaining: secrets. has 1 resource instances',
  });
  await stage.patch(`${SHOP}/secrets/s`, { metadata: { finalizers: null } });
  await stage.settle();
  expect(await stage.has(SHOP)).toBe(false);
});

test('a namespace that was being emptied when the server stopped is emptied after its start', async () => {
  const stage = await openShop();
  await stage.stop();
  await stage.make(`${SHOP}/configmaps`, 'a');
  await stage.remove(SHOP);
  await stage.settle(60_000);
  expect(await stage.has(SHOP)).toBe(true);
  stage.start();
  await stage.settle();
  expect(await stage.has(SHOP)).toBe(false);
});

test('a finalizer of somebody else keeps the empty namespace', async () => {
  const stage = await ControllerStage.open({ controllers: ['namespace'] });
  await stage.make('/api/v1/namespaces', 'shop', { spec: { finalizers: ['example.com/mine'] } });
  await stage.remove(SHOP);
  await stage.settle();
  expect((await stage.get(SHOP)).body['spec']).toEqual({ finalizers: ['example.com/mine'] });
});

test('nothing waits and nothing ticks while no namespace is going', async () => {
  const stage = await openShop();
  const before = stage.clock.pending;
  await stage.remove(SHOP);
  await stage.settle();
  expect(stage.clock.pending).toBe(before);
});

test('objects of kinds that came later go as well', async () => {
  const stage = await openShop();
  stage.server.parts.catalog.add(widgets);
  const body = { metadata: { name: 'w', finalizers: ['example.com/hold'] } };
  const { registry } = stage.server.parts;
  await registry.create({ definition: widgets, namespace: 'shop', body });
  await stage.remove(SHOP);
  await stage.settle();
  expect(await conditionsOf(stage)).toMatchObject({
    NamespaceContentRemaining: expect.stringContaining('widgets.example.com has 1 resource'),
  });
  const change = (old: JsonObject): JsonObject => withMetadata(old, { finalizers: undefined });
  await registry.update({ definition: widgets, namespace: 'shop', name: 'w', change });
  await stage.settle();
  expect(await stage.has(SHOP)).toBe(false);
});
