import { describe, expect, test } from 'vitest';
import { promisesSettled, VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { Pod } from '../../api/pod.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Informer, InformerRequest } from '../../ports/informer.ts';
import { ObjectCache } from './object-cache.ts';

/** A watch whose events the test tells. */
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

class Stage {
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

/** Heard at once, however late the test looks at it. */
function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => null,
    (error: unknown) => error,
  );
}

describe('watches', () => {
  test('begin with the first pod that refers to an object, and end with the last', () => {
    const stage = new Stage();
    stage.cache.registerPod(pod('a', ['settings'], ['key']));
    stage.cache.registerPod(pod('b', ['settings']));
    expect(stage.open).toEqual(['/api/v1/namespaces/work/secrets metadata.name=key', WATCH]);
    stage.cache.unregisterPod(pod('a', []));
    expect(stage.open).toEqual([WATCH]);
    stage.cache.unregisterPod(pod('b', []));
    expect([stage.open, stage.cache.watches]).toEqual([[], 0]);
  });

  test('follow a pod that refers to something else than before', () => {
    const stage = new Stage();
    stage.cache.registerPod(pod('a', ['settings', 'old']));
    stage.cache.registerPod(pod('a', ['settings', 'new']));
    expect(stage.open.map((one) => one.split('=')[1])).toEqual(['settings', 'new']);
    stage.cache.unregisterPod(pod('a', []));
    expect(stage.open).toEqual([]);
  });

  test('are not counted twice for a pod that is registered twice', () => {
    const stage = new Stage();
    stage.cache.registerPod(pod('a', ['settings']));
    stage.cache.registerPod(pod('a', ['settings']));
    stage.cache.unregisterPod(pod('a', []));
    stage.cache.unregisterPod(pod('a', []));
    expect([stage.watches.length, stage.open]).toEqual([1, []]);
  });

  test('of immutable objects end at once, and the object stays', async () => {
    const stage = new Stage();
    stage.cache.registerPod(pod('a', ['settings']));
    stage.watch().listed(settings('x', { immutable: true }));
    expect(stage.open).toEqual([]);
    expect(await stage.cache.get(SETTINGS)).toMatchObject({ data: { value: 'x' } });
    await stage.clock.pass(3_600_000);
    expect(await stage.cache.get(SETTINGS)).toMatchObject({ data: { value: 'x' } });
    expect(stage.watches).toHaveLength(1);
  });

  test('of objects that become immutable end then', () => {
    const stage = new Stage();
    stage.cache.registerPod(pod('a', ['settings']));
    stage.watch().listed(settings('x'));
    expect(stage.open).toEqual([WATCH]);
    stage.watch().request.handlers?.updated?.({}, settings('y', { immutable: true }));
    expect(stage.open).toEqual([]);
  });

  test('that nobody asked of for five minutes end, and begin again when somebody does', async () => {
    const stage = new Stage();
    stage.cache.registerPod(pod('a', ['settings']));
    stage.watch().listed(settings('x'));
    await stage.clock.pass(200_000);
    await stage.cache.get(SETTINGS);
    await stage.clock.pass(300_000);
    expect(stage.open).toEqual([WATCH]);
    await stage.clock.pass(60_000);
    expect([stage.open, stage.cache.watches]).toEqual([[], 0]);
    const asked = stage.cache.get(SETTINGS);
    stage.watch(1).listed(settings('y'));
    expect(await asked).toMatchObject({ data: { value: 'y' } });
  });

  test('whose first answer is on its way are not idle', async () => {
    const stage = new Stage();
    stage.cache.registerPod(pod('a', ['settings']));
    await stage.clock.pass(3_600_000);
    expect(stage.open).toEqual([WATCH]);
  });

  test('of objects that somebody listens to are not idle', async () => {
    const stage = new Stage();
    stage.cache.registerPod(pod('a', ['settings']));
    stage.watch().listed(settings('x'));
    const leave = stage.cache.subscribe(SETTINGS, () => {});
    await stage.clock.pass(3_600_000);
    expect(stage.open).toEqual([WATCH]);
    leave();
    await stage.clock.pass(420_000);
    expect(stage.open).toEqual([]);
  });
});

describe('an object', () => {
  test('is waited for until the first answer, and is at hand from then on', async () => {
    const stage = new Stage();
    stage.cache.registerPod(pod('a', ['settings']));
    const asked = stage.cache.get(SETTINGS);
    await promisesSettled();
    stage.watch().listed(settings('x'));
    expect(await asked).toMatchObject({ data: { value: 'x' } });
    stage.watch().request.handlers?.updated?.({}, settings('y'));
    expect(await stage.cache.get(SETTINGS)).toMatchObject({ data: { value: 'y' } });
  });

  test('that is not there is told in the words of the API', async () => {
    const stage = new Stage();
    stage.cache.registerPod(pod('a', ['settings'], ['key']));
    stage.watch(0).listed();
    stage.watch(1).listed();
    await expect(stage.cache.get(SETTINGS)).rejects.toMatchObject({
      message: 'configmap "settings" not found',
      statusCode: 404,
      reason: 'NotFound',
    });
    const key = { kind: 'Secret', namespace: 'work', name: 'key' } as const;
    await expect(stage.cache.get(key)).rejects.toThrow('secret "key" not found');
  });

  test('that comes and goes is there and is not', async () => {
    const stage = new Stage();
    stage.cache.registerPod(pod('a', ['settings']));
    stage.watch().listed();
    const { added, deleted } = stage.watch().request.handlers ?? {};
    added?.(settings('x'));
    await expect(stage.cache.get(SETTINGS)).resolves.toBeDefined();
    deleted?.(settings('x'));
    await expect(stage.cache.get(SETTINGS)).rejects.toMatchObject({ reason: 'NotFound' });
  });

  test('that the API does not show within a second is told so', async () => {
    const stage = new Stage();
    stage.cache.registerPod(pod('a', ['settings']));
    const asked = failureOf(stage.cache.get(SETTINGS));
    await stage.clock.pass(1000);
    expect(await asked).toMatchObject({
      code: 'OBJECT_NOT_SYNCED',
      message: 'failed to sync configmap cache: timed out waiting for the condition',
    });
  });

  test('that no pod refers to is not given out', async () => {
    const stage = new Stage();
    const words = 'object "work"/"settings" not registered';
    await expect(stage.cache.get(SETTINGS)).rejects.toThrow(words);
    expect(() => stage.cache.subscribe(SETTINGS, () => {})).toThrow(words);
    stage.cache.registerPod(pod('a', ['settings']));
    const asked = failureOf(stage.cache.get(SETTINGS));
    stage.cache.unregisterPod(pod('a', []));
    expect(await asked).toMatchObject({ message: words });
  });

  test('is not waited for longer than the caller wants', async () => {
    const stage = new Stage();
    stage.cache.registerPod(pod('a', ['settings']));
    const abort = new AbortController();
    const asked = failureOf(stage.cache.get(SETTINGS, abort.signal));
    abort.abort(new Error('enough'));
    expect(await asked).toBe(abort.signal.reason);
    await expect(stage.cache.get(SETTINGS, abort.signal)).rejects.toThrow('enough');
  });

  test('tells those who listen of every change, and of its end', () => {
    const stage = new Stage();
    stage.cache.registerPod(pod('a', ['settings']));
    const heard: unknown[] = [];
    const leave = stage.cache.subscribe(SETTINGS, (object) => heard.push(object?.['data'] ?? null));
    const { updated, deleted } = stage.watch().request.handlers ?? {};
    stage.watch().listed(settings('x'));
    updated?.({}, settings('y'));
    deleted?.(settings('y'));
    leave();
    updated?.({}, settings('z'));
    expect(heard).toEqual([{ value: 'x' }, { value: 'y' }, null]);
  });
});

test('a cache that is stopped watches nothing, and leaves no timer', async () => {
  const stage = new Stage();
  stage.cache.registerPod(pod('a', ['settings']));
  const asked = failureOf(stage.cache.get(SETTINGS));
  stage.cache.stop();
  expect(await asked).toMatchObject({ code: 'OBJECT_NOT_REGISTERED' });
  expect([stage.open, stage.clock.pending]).toEqual([[], 0]);
});
