import { describe, expect, test } from 'vitest';
import type { Pod } from '../../api/pod.ts';
import type { JsonObject } from '../../lib/json.ts';
import { FakeObjects } from '../../../test/support/volume-parts.ts';
import { makeEnvironment, type EnvironmentLookups } from './environment.ts';

const SIGNAL = new AbortController().signal;
const MASTER: JsonObject = {
  metadata: { namespace: 'default', name: 'kubernetes' },
  spec: { clusterIP: '10.96.0.1', ports: [{ port: 443 }] },
};

function lookups(objects: FakeObjects, services: readonly JsonObject[] | null = []) {
  return {
    objects,
    node: {
      hostIPs: () => ['192.0.2.1'],
      allocatable: () => ({ cpu: '4', memory: '8Gi' }),
      services: () => services,
    },
    readVolumeFile: async (volume: string, path: string) => {
      if (volume !== 'files') return null;
      if (path !== 'app.env') throw new Error('no such file');
      return { path: `/volumes/files/${path}`, text: "TOKEN='from a file'\n" };
    },
  } satisfies EnvironmentLookups;
}

async function environmentOf(
  container: object,
  objects = new FakeObjects(),
  services?: readonly JsonObject[] | null,
  spec: object = {},
): Promise<Record<string, string>> {
  const main = { name: 'main', ...container };
  const pod: Pod = {
    metadata: { name: 'web', namespace: 'shop', uid: 'u' },
    spec: { containers: [main], ...spec },
  };
  const request = { pod, container: main, podIPs: ['10.0.0.7'] };
  const env = await makeEnvironment(request, lookups(objects, services), SIGNAL);
  return Object.fromEntries(env.map(({ name, value }) => [name, value]));
}

describe('the variables of a container', () => {
  test('can refer to those before them', async () => {
    const env = [
      { name: 'A', value: '$(B)' },
      { name: 'B', value: 'b' },
      { name: 'C', value: '$(A) $(B) $$(B)' },
      { name: 'EMPTY' },
    ];
    expect(await environmentOf({ env })).toEqual({
      A: '$(B)',
      B: 'b',
      C: '$(B) b $(B)',
      EMPTY: '',
    });
  });

  test('come from config maps and secrets, key by key', async () => {
    const objects = new FakeObjects();
    objects.set('ConfigMap', 'settings', { data: { level: 'debug', __proto__x: 'odd' } });
    objects.set('Secret', 'door', { data: { key: Buffer.from('open sesame').toString('base64') } });
    const env = [
      { name: 'LEVEL', valueFrom: { configMapKeyRef: { name: 'settings', key: 'level' } } },
      { name: 'KEY', valueFrom: { secretKeyRef: { name: 'door', key: 'key' } } },
      {
        name: 'NONE',
        valueFrom: { configMapKeyRef: { name: 'settings', key: 'x', optional: true } },
      },
      { name: 'GONE', valueFrom: { secretKeyRef: { name: 'x', key: 'x', optional: true } } },
    ];
    expect(await environmentOf({ env }, objects)).toEqual({ LEVEL: 'debug', KEY: 'open sesame' });
  });

  test('come as whole config maps and secrets, with a prefix, and env counts last', async () => {
    const objects = new FakeObjects();
    objects.set('ConfigMap', 'a', { data: { ONE: '1', 'not-a-name': 'kept' } });
    objects.set('Secret', 'b', { data: { ONE: Buffer.from('2').toString('base64') } });
    const envFrom = [
      { prefix: 'P_', configMapRef: { name: 'a' } },
      { configMapRef: { name: 'a' } },
      { secretRef: { name: 'b' } },
      { secretRef: { name: 'absent', optional: true } },
    ];
    const env = [{ name: 'P_ONE', value: 'own $(ONE)' }];
    expect(await environmentOf({ env, envFrom }, objects)).toEqual({
      P_ONE: 'own 2',
      'P_not-a-name': 'kept',
      ONE: '2',
      'not-a-name': 'kept',
    });
    expect(objects.reads).toBe(3);
  });

  test.each([
    [{ configMapKeyRef: { name: 'nope', key: 'k' } }, 'configmap "nope" not found'],
    [{ secretKeyRef: { name: 'nope', key: 'k' } }, 'secret "nope" not found'],
    [{ configMapKeyRef: { name: 'here', key: 'k' } }, "couldn't find key k in ConfigMap shop/here"],
    [{ secretKeyRef: { name: 'here', key: 'k' } }, "couldn't find key k in Secret shop/here"],
    [
      { fileKeyRef: { volumeName: 'x', path: 'app.env', key: 'k' } },
      'cannot find the volume "x" referenced by FileKeyRef',
    ],
    [{ fileKeyRef: { volumeName: 'files', path: 'no', key: 'k' } }, "couldn't parse env file"],
    [
      { fileKeyRef: { volumeName: 'files', path: 'app.env', key: 'k' } },
      'environment variable key "k" not found in file "/volumes/files/app.env"',
    ],
  ])('%j fails with %s', async (valueFrom, words) => {
    const objects = new FakeObjects();
    objects.set('ConfigMap', 'here', { data: {} });
    objects.set('Secret', 'here', {});
    const env = [{ name: 'X', valueFrom }];
    await expect(environmentOf({ env }, objects)).rejects.toThrow(new RegExp(`^${words}$`));
  });

  test('a whole config map that does not exist fails with the recorded message', async () => {
    const envFrom = [{ configMapRef: { name: 'nope' } }];
    await expect(environmentOf({ envFrom })).rejects.toThrow('configmap "nope" not found');
  });

  test('come from the pod, from limits and from files', async () => {
    const env = [
      { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      { name: 'HOST', valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } },
      { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
      {
        name: 'FILE',
        valueFrom: { fileKeyRef: { volumeName: 'files', path: 'app.env', key: 'TOKEN' } },
      },
      {
        name: 'SKIPPED',
        valueFrom: {
          fileKeyRef: { volumeName: 'files', path: 'app.env', key: 'x', optional: true },
        },
      },
    ];
    expect(await environmentOf({ env })).toEqual({
      POD: 'web',
      IP: '10.0.0.7',
      HOST: '192.0.2.1',
      CPU: '4',
      FILE: 'from a file',
    });
  });

  test('of services fill what is left, and can be referred to', async () => {
    const env = [
      { name: 'URL', value: 'https://$(KUBERNETES_SERVICE_HOST)' },
      { name: 'KUBERNETES_PORT', value: 'mine' },
    ];
    const all = await environmentOf({ env }, new FakeObjects(), [MASTER]);
    expect(all).toMatchObject({
      URL: 'https://10.96.0.1',
      KUBERNETES_PORT: 'mine',
      KUBERNETES_SERVICE_PORT: '443',
    });
  });

  test('wait for the first list of services, but not those of a static pod', async () => {
    await expect(environmentOf({}, new FakeObjects(), null)).rejects.toThrow(
      'services have not yet been read at least once, cannot construct envvars',
    );
    const pod: Pod = {
      metadata: { name: 'p', annotations: { 'kubernetes.io/config.source': 'file' } },
      spec: { containers: [] },
    };
    const request = { pod, container: { name: 'c' }, podIPs: [] };
    expect(await makeEnvironment(request, lookups(new FakeObjects(), null), SIGNAL)).toEqual([]);
  });
});
