import { expect, test } from 'vitest';
import { seededRandom } from '../../platform/seeded-random.ts';
import { promisesSettled, VirtualClock } from '../../../test/support/virtual-clock.ts';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { Catalog } from '../registry/catalog.ts';
import { Registry } from '../registry/registry.ts';
import { NO_REMOTE_APIS } from '../objects/remote-apis.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import { admitAll } from '../registry/admission.ts';
import { configMaps } from '../kinds/core/config-map.ts';
import { namespaces } from '../kinds/core/namespace.ts';
import { serviceAccounts } from '../kinds/rbac/service-account.ts';
import { openMemoryStore } from '../store/memory-store.ts';
import { CONTROLLER_NAMES, startControllers } from './controllers.ts';
import { WORKLOAD_CONTROLLER_NAMES } from './workloads/workload-controllers.ts';

function openParts(): ServerParts & { readonly clock: VirtualClock } {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const store = openMemoryStore({ clock, log: silentLog });
  const registry = new Registry({
    store,
    clock,
    random,
    admission: admitAll([]),
    find: () => undefined,
  });
  const catalog = new Catalog([namespaces, serviceAccounts, configMaps]);
  return { store, clock, random, log: silentLog, catalog, registry, remoteApis: NO_REMOTE_APIS };
}

async function makeNamespace({ registry }: ServerParts): Promise<void> {
  const body = { metadata: { name: 'shop' } };
  await registry.create({ definition: namespaces, namespace: '', body });
  await promisesSettled();
}

const keysOf = ({ store }: ServerParts): readonly string[] =>
  store.list('/').objects.map(({ key }) => key);

test('by default all controllers run whose dependencies are there', async () => {
  const parts = openParts();
  const running = startControllers(parts, { certificatePem: 'CA' });
  await makeNamespace(parts);
  expect(keysOf(parts)).toEqual([
    '/core/configmaps/shop/kube-root-ca.crt',
    '/core/namespaces/shop',
    '/core/serviceaccounts/shop/default',
  ]);
  await running.stop();
});

test('only the selected controllers run', async () => {
  const parts = openParts();
  startControllers(parts, { certificatePem: 'CA', controllers: new Set(['serviceaccount']) });
  await makeNamespace(parts);
  expect(keysOf(parts)).toEqual(['/core/namespaces/shop', '/core/serviceaccounts/shop/default']);
});

test('no timer fires while nothing changes', () => {
  const parts = openParts();
  const before = parts.clock.pending;
  startControllers(parts, { certificatePem: 'CA', makeToken: () => 't' });
  expect(parts.clock.pending).toBe(before);
});

test('a stopped controller does nothing more', async () => {
  const parts = openParts();
  await startControllers(parts, { certificatePem: 'CA', makeToken: () => 't' }).stop();
  await makeNamespace(parts);
  expect(keysOf(parts)).toEqual(['/core/namespaces/shop']);
});

test('every controller has a name by which it can be left out', () => {
  expect(CONTROLLER_NAMES).toEqual([
    'namespace',
    'garbage-collector',
    'serviceaccount',
    'root-ca-certificate',
    'serviceaccount-token',
    'resource-quota',
    'node-lifecycle',
    'taint-eviction',
    'pod-garbage-collector',
    'storage-protection',
    'policy-status',
    'certificate-approver',
    'certificate-cleaner',
    'ttl',
    'event-expiry',
    'scheduler',
    ...WORKLOAD_CONTROLLER_NAMES,
  ]);
});
