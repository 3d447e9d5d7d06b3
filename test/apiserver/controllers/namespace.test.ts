import { expect, test } from 'vitest';
import { textOf, withMetadata } from '../../../src/apiserver/objects/metadata.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { widgets } from './custom-kind.ts';
import { ControllerHarness } from './controller-harness.ts';

const SHOP = '/api/v1/namespaces/shop';
const spec = { containers: [{ name: 'c', image: 'nginx:1' }] };

async function openShop(): Promise<ControllerHarness> {
  const harness = await ControllerHarness.open({ controllers: ['namespace'] });
  await harness.make('/api/v1/namespaces', 'shop');
  await harness.make(`${SHOP}/serviceaccounts`, 'default');
  return harness;
}

async function conditionsOf(harness: ControllerHarness): Promise<Readonly<Record<string, string>>> {
  const { body } = await harness.get(SHOP);
  const { conditions = [] } = body['status'] as { conditions?: readonly JsonObject[] };
  return Object.fromEntries(
    conditions.map(({ type, status, reason, message }) => [
      textOf(type),
      `${textOf(status)} ${textOf(reason)}: ${textOf(message)}`,
    ]),
  );
}

test('an empty namespace that is deleted goes immediately', async () => {
  const harness = await openShop();
  expect((await harness.remove(SHOP)).body['status']).toMatchObject({ phase: 'Terminating' });
  await harness.settle();
  expect(await harness.has(SHOP)).toBe(false);
});

test('the objects of a namespace go with it, and all others stay', async () => {
  const harness = await openShop();
  await harness.make(`${SHOP}/configmaps`, 'a');
  await harness.make(`${SHOP}/secrets`, 'b');
  await harness.make('/apis/apps/v1/namespaces/shop/deployments', 'd', {
    spec: {
      selector: { matchLabels: { app: 'x' } },
      template: { metadata: { labels: { app: 'x' } }, spec },
    },
  });
  await harness.make('/api/v1/namespaces/default/configmaps', 'a');
  await harness.remove(SHOP);
  await harness.settle();
  expect(await harness.has(SHOP)).toBe(false);
  expect(harness.store.list('/').objects.map(({ key }) => key)).toEqual([
    '/core/configmaps/default/a',
    '/core/namespaces/default',
    '/core/serviceaccounts/default/default',
  ]);
});

test('pods get their grace period, and everything else waits for them', async () => {
  const harness = await openShop();
  await harness.make(`${SHOP}/configmaps`, 'a');
  await harness.make(`${SHOP}/pods`, 'p', { spec: { ...spec, nodeName: 'n1' } });
  await harness.remove(SHOP);
  await harness.settle(1000);
  expect((await harness.get(`${SHOP}/pods/p`)).body.metadata).toMatchObject({
    deletionGracePeriodSeconds: 30,
  });
  expect(await harness.has(`${SHOP}/configmaps/a`)).toBe(true);
  expect(await conditionsOf(harness)).toMatchObject({
    NamespaceContentRemaining: 'False ContentRemoved: All content successfully removed',
  });
  await harness.remove(`${SHOP}/pods/p?gracePeriodSeconds=0`);
  await harness.settle();
  expect(await harness.has(SHOP)).toBe(false);
});

test('a pod that outlives its grace period is reported as unexpected', async () => {
  const harness = await openShop();
  await harness.make(`${SHOP}/pods`, 'p', { spec: { ...spec, nodeName: 'n1' } });
  await harness.remove(SHOP);
  await harness.settle(31_000);
  expect(await conditionsOf(harness)).toMatchObject({
    NamespaceDeletionContentFailure:
      'True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: ' +
      'unexpected items still remain in namespace: shop for gvr: /v1, Resource=pods',
  });
});

test('finalizers hold a namespace, its conditions say which, and their removal releases it', async () => {
  const harness = await openShop();
  const metadata = { finalizers: ['example.com/keep', 'example.com/too'] };
  await harness.make(`${SHOP}/configmaps`, 'a', { metadata });
  await harness.make(`${SHOP}/secrets`, 's', { metadata: { finalizers: ['example.com/keep'] } });
  await harness.remove(SHOP);
  await harness.settle(1000);
  expect(await conditionsOf(harness)).toEqual({
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
  await harness.patch(`${SHOP}/configmaps/a`, { metadata: { finalizers: null } });
  await harness.settle();
  expect(await conditionsOf(harness)).toMatchObject({
    NamespaceContentRemaining:
      'True SomeResourcesRemain: Some resources are remaining: secrets. has 1 resource instances',
  });
  await harness.patch(`${SHOP}/secrets/s`, { metadata: { finalizers: null } });
  await harness.settle();
  expect(await harness.has(SHOP)).toBe(false);
});

test('a namespace that was being emptied when the server stopped is emptied after its start', async () => {
  const harness = await openShop();
  await harness.stop();
  await harness.make(`${SHOP}/configmaps`, 'a');
  await harness.remove(SHOP);
  await harness.settle(60_000);
  expect(await harness.has(SHOP)).toBe(true);
  harness.start();
  await harness.settle();
  expect(await harness.has(SHOP)).toBe(false);
});

test('a foreign finalizer keeps the empty namespace', async () => {
  const harness = await ControllerHarness.open({ controllers: ['namespace'] });
  await harness.make('/api/v1/namespaces', 'shop', { spec: { finalizers: ['example.com/mine'] } });
  await harness.remove(SHOP);
  await harness.settle();
  expect((await harness.get(SHOP)).body['spec']).toEqual({ finalizers: ['example.com/mine'] });
});

test('without a terminating namespace there is no queue and no timer', async () => {
  const harness = await openShop();
  const before = harness.clock.pending;
  await harness.remove(SHOP);
  await harness.settle();
  expect(harness.clock.pending).toBe(before);
});

test('objects of kinds that were defined later go as well', async () => {
  const harness = await openShop();
  harness.server.parts.catalog.add(widgets);
  const body = { metadata: { name: 'w', finalizers: ['example.com/hold'] } };
  const { registry } = harness.server.parts;
  await registry.create({ definition: widgets, namespace: 'shop', body });
  await harness.remove(SHOP);
  await harness.settle();
  expect(await conditionsOf(harness)).toMatchObject({
    NamespaceContentRemaining: expect.stringContaining('widgets.example.com has 1 resource'),
  });
  const change = (old: JsonObject): JsonObject => withMetadata(old, { finalizers: undefined });
  await registry.update({ definition: widgets, namespace: 'shop', name: 'w', change });
  await harness.settle();
  expect(await harness.has(SHOP)).toBe(false);
});
