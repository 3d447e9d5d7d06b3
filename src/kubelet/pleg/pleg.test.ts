import { expect, test } from 'vitest';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import type { RuntimeEvent } from '../../ports/runtime/pod-runtime.ts';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { LifecycleEvent } from './lifecycle-event.ts';
import { Pleg } from './pleg.ts';

const NEVER = new AbortController().signal;

function podWith(id: string, ready = true, ips: readonly string[] = ['10.0.0.1']): RuntimePod {
  return {
    sandboxes: [{ id, attempt: 0, ready, hostNetwork: false }],
    containers: [],
    ips,
  };
}

function harness(options: { readonly hasEvents?: boolean } = {}) {
  const clock = new VirtualClock();
  const pods = new Map<string, RuntimePod>();
  const looks: string[] = [];
  const notified: LifecycleEvent[] = [];
  const faults = { list: false, inspect: new Set<string>(), slowMs: 0 };
  let listener: (event: RuntimeEvent) => void = () => {};
  let lists = 0;
  const follow = (heard: (event: RuntimeEvent) => void) => {
    listener = heard;
    return () => {};
  };
  const cache = new Pleg({
    clock,
    log: silentLog,
    runtime: {
      list: () => {
        lists += 1;
        if (faults.list) return Promise.reject(new Error('the runtime is away'));
        const entries = [...pods].map(([uid, pod]) => ({ uid, name: uid, namespace: 'n', pod }));
        return Promise.resolve(entries);
      },
      ...(options.hasEvents && { follow }),
    },
    inspect: async (uid) => {
      looks.push(uid);
      const view = pods.get(uid) ?? { sandboxes: [], containers: [], ips: [] };
      if (faults.slowMs > 0) {
        await new Promise<void>((resolve) => {
          clock.after(faults.slowMs, resolve);
        });
      }
      if (faults.inspect.has(uid)) throw new Error(`${uid} cannot be read`);
      return view;
    },
  });
  cache.subscribe((event) => notified.push(event));
  const emit = (podUid: string): void => listener({ podUid, type: 'sandboxChanged' });
  return { clock, pods, looks, notified, faults, cache, emit, lists: () => lists };
}

test('all pods are listed at once, and then every second (KL-85)', async () => {
  const { clock, pods, cache, notified, lists } = harness();
  pods.set('a', podWith('s1'));
  cache.start();
  await clock.pass(0);
  expect(cache.peek('a')).toEqual(podWith('s1'));
  expect(notified).toEqual([{ podUid: 'a', type: 'ContainerStarted', id: 's1' }]);
  await clock.pass(10_000);
  expect(lists()).toBe(11);
});

test('only pods that changed are inspected', async () => {
  const { clock, pods, cache, looks } = harness();
  pods.set('a', podWith('s1')).set('b', podWith('s2'));
  cache.start();
  await clock.pass(5000);
  expect(looks).toEqual(['a', 'b']);
  pods.set('b', podWith('s2', false));
  await clock.pass(1000);
  expect(looks).toEqual(['a', 'b', 'b']);
});

test('events of a runtime are handled at once, and the runtime is listed rarely (F-7, F-10)', async () => {
  const { clock, pods, cache, emit, lists, notified } = harness({ hasEvents: true });
  cache.start();
  await clock.pass(0);
  pods.set('a', podWith('s1'));
  emit('a');
  await clock.pass(0);
  expect(notified).toHaveLength(1);
  await clock.pass(59_000);
  expect(lists()).toBe(1);
  await clock.pass(2000);
  expect(lists()).toBe(2);
});

test('a pod that was never seen is empty, and one that cannot be read is null (KL-90)', async () => {
  const { clock, pods, cache, faults, notified } = harness();
  expect(cache.peek('a')).toEqual({ sandboxes: [], containers: [], ips: [] });
  pods.set('a', podWith('s1'));
  faults.inspect.add('a');
  cache.start();
  await clock.pass(0);
  expect(cache.peek('a')).toBeNull();
  await expect(cache.newerThan('a', -1, NEVER)).rejects.toThrow('a cannot be read');
  faults.inspect.clear();
  await clock.pass(1000);
  expect(cache.peek('a')).toEqual(podWith('s1'));
  expect(notified.map(({ type }) => type)).toEqual(['ContainerStarted']);
});

test('an inspection that succeeds again without a change gives PodSync (KL-88)', async () => {
  const { clock, pods, cache, faults, notified } = harness();
  pods.set('a', podWith('s1'));
  cache.start();
  await clock.pass(0);
  faults.inspect.add('a');
  await cache.relist('a');
  faults.inspect.clear();
  await clock.pass(1000);
  expect(notified.map(({ type }) => type)).toEqual(['ContainerStarted', 'PodSync']);
});

test('newerThan answers with a state from after the given time (KL-90)', async () => {
  const { clock, pods, cache } = harness({ hasEvents: true });
  pods.set('a', podWith('s1'));
  cache.start();
  await clock.pass(100);
  pods.set('a', podWith('s2'));
  expect(await cache.newerThan('a', -1, NEVER)).toEqual(podWith('s1'));
  expect(await cache.newerThan('a', clock.monotonic(), NEVER)).toEqual(podWith('s2'));
});

test('an inspection that started before the call does not answer it', async () => {
  const { clock, pods, cache, faults } = harness({ hasEvents: true });
  cache.start();
  await clock.pass(10);
  faults.slowMs = 100;
  pods.set('a', podWith('s1'));
  void cache.relist('a');
  await clock.pass(50);
  pods.set('a', podWith('s2'));
  const answers = [1, 2].map(() => cache.newerThan('a', clock.monotonic(), NEVER));
  await clock.pass(200);
  expect(await Promise.all(answers)).toEqual([podWith('s2'), podWith('s2')]);
});

test('a caller that waits for an inspection can abort', async () => {
  const { clock, cache, faults } = harness();
  faults.slowMs = 60_000;
  const abort = new AbortController();
  const waiting = cache.newerThan('a', 0, abort.signal);
  await clock.pass(10);
  abort.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  await expect(cache.newerThan('a', 0, abort.signal)).rejects.toThrow('gone');
});

test('no more than eight pods are inspected at once (F-7)', async () => {
  const { clock, pods, cache, faults, looks } = harness();
  for (let index = 0; index < 20; index++) pods.set(`p${index}`, podWith(`s${index}`));
  faults.slowMs = 100;
  cache.start();
  await clock.pass(50);
  expect(looks).toHaveLength(8);
  await clock.pass(100);
  expect(looks).toHaveLength(16);
  await clock.pass(100);
  expect(looks).toHaveLength(20);
});

test('a stopped sandbox has no address, and its pod keeps its last one (KL-88)', async () => {
  const { clock, pods, cache } = harness();
  pods.set('a', podWith('s1'));
  cache.start();
  await clock.pass(0);
  pods.set('a', podWith('s1', false, []));
  await clock.pass(1000);
  expect(cache.peek('a')?.ips).toEqual(['10.0.0.1']);
});

test('a pod that is gone is forgotten', async () => {
  const { clock, pods, cache, notified } = harness();
  pods.set('a', podWith('s1'));
  cache.start();
  await clock.pass(0);
  pods.delete('a');
  await clock.pass(1000);
  expect(cache.uids()).toEqual([]);
  expect(notified.map(({ type }) => type)).toEqual([
    'ContainerStarted',
    'ContainerDied',
    'ContainerRemoved',
  ]);
});

test('it is healthy from its first success until three minutes after its last (KL-55)', async () => {
  const { clock, cache, faults } = harness();
  expect(cache.unhealthy()).toBe('pleg has yet to be successful');
  cache.start();
  await clock.pass(0);
  expect(cache.unhealthy()).toBeNull();
  faults.list = true;
  await clock.pass(180_000);
  expect(cache.unhealthy()).toBeNull();
  await clock.pass(2000);
  expect(cache.unhealthy()).toBe('pleg was last seen active 3m2s ago; threshold is 3m0s');
  faults.list = false;
  await clock.pass(1000);
  expect(cache.unhealthy()).toBeNull();
});

test('after a stop there are no inspections and no events', async () => {
  const { clock, pods, cache, lists, notified } = harness({ hasEvents: true });
  cache.start();
  await clock.pass(0);
  cache.stop();
  pods.set('a', podWith('s1'));
  await cache.relist('a');
  await clock.pass(300_000);
  expect(lists()).toBe(1);
  expect(notified).toEqual([]);
});
