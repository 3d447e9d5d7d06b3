import { describe, expect, test } from 'vitest';
import { promisesSettled, VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { Pod } from '../../api/pod.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Informer, InformerRequest } from '../../ports/api/informer.ts';
import { ObjectCache } from './object-cache.ts';

/** A watch whose events the test sends. */
class ScriptedInformer implements Informer {
  readonly request: InformerRequest;
  hasSynced = false;
  isStopped = false;

  constructor(request: InformerRequest) {
    this.request = request;
  }

  get(): undefined {
    return undefined;
  }

  list(): readonly JsonObject[] {
    return [];
  }

  stop(): void {
    this.isStopped = true;
  }

  listed(...objects: readonly JsonObject[]): void {
    this.hasSynced = true;
    this.request.handlers?.listed?.(objects);
  }
}

class TestHarness {
  readonly clock = new VirtualClock();
  readonly watches: ScriptedInformer[] = [];
  readonly cache = new ObjectCache({
    clock: this.clock,
    startInformer: (request) => {
      const informer = new ScriptedInformer(request);
      this.watches.push(informer);
      return informer;
    },
  });

  get open(): readonly string[] {
    return this.watches
      .filter(({ isStopped }) => !isStopped)
      .map(({ request: { path, fieldSelector } }) => `${path} ${fieldSelector}`);
  }

  watch(index = 0): ScriptedInformer {
    const found = this.watches[index];
    if (!found) throw new Error(`there is no watch ${index}`);
    return found;
  }
}

function pod(uid: string, configMaps: readonly string[], secrets: readonly string[] = []): Pod {
  const volumes = [
    ...configMaps.map((name) => ({ name, configMap: { name } })),
    ...secrets.map((secretName) => ({ name: secretName, secret: { secretName } })),
  ];
  const spec = { containers: [], volumes };
  return { metadata: { name: uid, namespace: 'work', uid }, spec };
}

const SETTINGS = { kind: 'ConfigMap', namespace: 'work', name: 'settings' } as const;
const WATCH = '/api/v1/namespaces/work/configmaps metadata.name=settings';

function settings(value: string, more: JsonObject = {}): JsonObject {
  return { metadata: { name: 'settings' }, data: { value }, ...more };
}

/** The result is handled at once, however late the test reads it. */
function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => null,
    (error: unknown) => error,
  );
}

describe('watches', () => {
  test('start with the first pod that refers to an object, and end with the last', () => {
    const harness = new TestHarness();
    harness.cache.registerPod(pod('a', ['settings'], ['key']));
    harness.cache.registerPod(pod('b', ['settings']));
    expect(harness.open).toEqual(['/api/v1/namespaces/work/secrets metadata.name=key', WATCH]);
    harness.cache.unregisterPod(pod('a', []));
    expect(harness.open).toEqual([WATCH]);
    harness.cache.unregisterPod(pod('b', []));
    expect([harness.open, harness.cache.watches]).toEqual([[], 0]);
  });

  test('follow a pod whose references change', () => {
    const harness = new TestHarness();
    harness.cache.registerPod(pod('a', ['settings', 'old']));
    harness.cache.registerPod(pod('a', ['settings', 'new']));
    expect(harness.open.map((one) => one.split('=')[1])).toEqual(['settings', 'new']);
    harness.cache.unregisterPod(pod('a', []));
    expect(harness.open).toEqual([]);
  });

  test('are not counted twice for a pod that is registered twice', () => {
    const harness = new TestHarness();
    harness.cache.registerPod(pod('a', ['settings']));
    harness.cache.registerPod(pod('a', ['settings']));
    harness.cache.unregisterPod(pod('a', []));
    harness.cache.unregisterPod(pod('a', []));
    expect([harness.watches.length, harness.open]).toEqual([1, []]);
  });

  test('of immutable objects end at once, and the object stays', async () => {
    const harness = new TestHarness();
    harness.cache.registerPod(pod('a', ['settings']));
    harness.watch().listed(settings('x', { immutable: true }));
    expect(harness.open).toEqual([]);
    expect(await harness.cache.get(SETTINGS)).toMatchObject({ data: { value: 'x' } });
    await harness.clock.pass(3_600_000);
    expect(await harness.cache.get(SETTINGS)).toMatchObject({ data: { value: 'x' } });
    expect(harness.watches).toHaveLength(1);
  });

  test('of objects that become immutable end then', () => {
    const harness = new TestHarness();
    harness.cache.registerPod(pod('a', ['settings']));
    harness.watch().listed(settings('x'));
    expect(harness.open).toEqual([WATCH]);
    harness.watch().request.handlers?.updated?.({}, settings('y', { immutable: true }));
    expect(harness.open).toEqual([]);
  });

  test('that were not used for five minutes end, and start again on use', async () => {
    const harness = new TestHarness();
    harness.cache.registerPod(pod('a', ['settings']));
    harness.watch().listed(settings('x'));
    await harness.clock.pass(200_000);
    await harness.cache.get(SETTINGS);
    await harness.clock.pass(300_000);
    expect(harness.open).toEqual([WATCH]);
    await harness.clock.pass(60_000);
    expect([harness.open, harness.cache.watches]).toEqual([[], 0]);
    const asked = harness.cache.get(SETTINGS);
    harness.watch(1).listed(settings('y'));
    expect(await asked).toMatchObject({ data: { value: 'y' } });
  });

  test('that wait for their first answer are not idle', async () => {
    const harness = new TestHarness();
    harness.cache.registerPod(pod('a', ['settings']));
    await harness.clock.pass(3_600_000);
    expect(harness.open).toEqual([WATCH]);
  });

  test('of objects with a subscriber are not idle', async () => {
    const harness = new TestHarness();
    harness.cache.registerPod(pod('a', ['settings']));
    harness.watch().listed(settings('x'));
    const leave = harness.cache.subscribe(SETTINGS, () => {});
    await harness.clock.pass(3_600_000);
    expect(harness.open).toEqual([WATCH]);
    leave();
    await harness.clock.pass(420_000);
    expect(harness.open).toEqual([]);
  });
});

describe('an object', () => {
  test('is waited for until the first answer, and is cached from then on', async () => {
    const harness = new TestHarness();
    harness.cache.registerPod(pod('a', ['settings']));
    const asked = harness.cache.get(SETTINGS);
    await promisesSettled();
    harness.watch().listed(settings('x'));
    expect(await asked).toMatchObject({ data: { value: 'x' } });
    harness.watch().request.handlers?.updated?.({}, settings('y'));
    expect(await harness.cache.get(SETTINGS)).toMatchObject({ data: { value: 'y' } });
  });

  test('that does not exist gives the error of the API', async () => {
    const harness = new TestHarness();
    harness.cache.registerPod(pod('a', ['settings'], ['key']));
    harness.watch(0).listed();
    harness.watch(1).listed();
    await expect(harness.cache.get(SETTINGS)).rejects.toMatchObject({
      message: 'configmap "settings" not found',
      statusCode: 404,
      reason: 'NotFound',
    });
    const key = { kind: 'Secret', namespace: 'work', name: 'key' } as const;
    await expect(harness.cache.get(key)).rejects.toThrow('secret "key" not found');
  });

  test('that is created and deleted exists and does not', async () => {
    const harness = new TestHarness();
    harness.cache.registerPod(pod('a', ['settings']));
    harness.watch().listed();
    const { added, deleted } = harness.watch().request.handlers ?? {};
    added?.(settings('x'));
    await expect(harness.cache.get(SETTINGS)).resolves.toBeDefined();
    deleted?.(settings('x'));
    await expect(harness.cache.get(SETTINGS)).rejects.toMatchObject({ reason: 'NotFound' });
  });

  test('that the API does not return within a second gives that error', async () => {
    const harness = new TestHarness();
    harness.cache.registerPod(pod('a', ['settings']));
    const asked = failureOf(harness.cache.get(SETTINGS));
    await harness.clock.pass(1000);
    expect(await asked).toMatchObject({
      code: 'OBJECT_NOT_SYNCED',
      message: 'failed to sync configmap cache: timed out waiting for the condition',
    });
  });

  test('that no pod refers to is not returned', async () => {
    const harness = new TestHarness();
    const words = 'object "work"/"settings" not registered';
    await expect(harness.cache.get(SETTINGS)).rejects.toThrow(words);
    expect(() => harness.cache.subscribe(SETTINGS, () => {})).toThrow(words);
    harness.cache.registerPod(pod('a', ['settings']));
    const asked = failureOf(harness.cache.get(SETTINGS));
    harness.cache.unregisterPod(pod('a', []));
    expect(await asked).toMatchObject({ message: words });
  });

  test("is not waited for after the caller's abort", async () => {
    const harness = new TestHarness();
    harness.cache.registerPod(pod('a', ['settings']));
    const abort = new AbortController();
    const asked = failureOf(harness.cache.get(SETTINGS, abort.signal));
    abort.abort(new Error('enough'));
    expect(await asked).toBe(abort.signal.reason);
    await expect(harness.cache.get(SETTINGS, abort.signal)).rejects.toThrow('enough');
  });

  test('notifies subscribers of every change, and of its deletion', () => {
    const harness = new TestHarness();
    harness.cache.registerPod(pod('a', ['settings']));
    const heard: unknown[] = [];
    const leave = harness.cache.subscribe(SETTINGS, (object) =>
      heard.push(object?.['data'] ?? null),
    );
    const { updated, deleted } = harness.watch().request.handlers ?? {};
    harness.watch().listed(settings('x'));
    updated?.({}, settings('y'));
    deleted?.(settings('y'));
    leave();
    updated?.({}, settings('z'));
    expect(heard).toEqual([{ value: 'x' }, { value: 'y' }, null]);
  });
});

test('a cache that is stopped watches nothing, and leaves no timer', async () => {
  const harness = new TestHarness();
  harness.cache.registerPod(pod('a', ['settings']));
  const asked = failureOf(harness.cache.get(SETTINGS));
  harness.cache.stop();
  expect(await asked).toMatchObject({ code: 'OBJECT_NOT_REGISTERED' });
  expect([harness.open, harness.clock.pending]).toEqual([[], 0]);
});
