import { expect, onTestFinished, test } from 'vitest';
import type { Pod } from '../../../src/api/pod.ts';
import { ObjectCache } from '../../../src/kubelet/object-cache/object-cache.ts';
import { CONFIG_MAPS } from '../../apiserver/api-harness.ts';
import { ClientHarness } from './client-harness.ts';

const SETTINGS = { kind: 'ConfigMap', namespace: 'default', name: 'settings' } as const;

async function open() {
  const harness = await ClientHarness.open();
  const cache = new ObjectCache({ clock: harness.clock, startInformer: harness.startInformer });
  onTestFinished(() => cache.stop());
  const volumes = [{ name: 'v', configMap: { name: 'settings' } }];
  const spec = { containers: [], volumes };
  const pod: Pod = { metadata: { namespace: 'default', name: 'p', uid: 'p' }, spec };
  return { harness, cache, pod };
}

test('an object is available as soon as the API has it, and follows its changes', async () => {
  const { harness, cache, pod } = await open();
  cache.registerPod(pod);
  await expect(cache.get(SETTINGS)).rejects.toThrow('configmap "settings" not found');
  await harness.server.create('settings', { data: { a: '1' } });
  await harness.server.create('others', { data: { a: '2' } });
  await harness.clock.pass(0);
  expect(await cache.get(SETTINGS)).toMatchObject({ data: { a: '1' } });
  const heard: unknown[] = [];
  cache.subscribe(SETTINGS, (object) => heard.push(object?.['data'] ?? null));
  await harness.server.send('PUT', `${CONFIG_MAPS}/settings`, {
    metadata: { name: 'settings' },
    data: { a: '3' },
  });
  await harness.server.send('DELETE', `${CONFIG_MAPS}/settings`);
  await harness.clock.pass(0);
  expect(heard).toEqual([{ a: '3' }, null]);
});

test('an immutable object is read once, and not watched', async () => {
  const { harness, cache, pod } = await open();
  await harness.server.create('settings', { immutable: true, data: { a: '1' } });
  cache.registerPod(pod);
  expect(await cache.get(SETTINGS)).toMatchObject({ data: { a: '1' } });
  expect(cache.watches).toBe(0);
});

test('nothing is watched after the last pod is gone', async () => {
  const { harness, cache, pod } = await open();
  cache.registerPod(pod);
  await harness.clock.pass(1000);
  expect(cache.watches).toBe(1);
  cache.unregisterPod(pod);
  expect(cache.watches).toBe(0);
  await harness.clock.pass(120_000);
});
