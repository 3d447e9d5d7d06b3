import { context, trace } from '@opentelemetry/api';
import type { Tracer } from '@opentelemetry/api';
import { expect, onTestFinished, test } from 'vitest';
import { pod } from '../../../test/support/pods.ts';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import type { PodSync, StopRequest, SyncRequest, SyncResult } from '../../ports/pod/pod-sync.ts';
import { asyncContexts, MemoryTracer } from './memory-tracer.ts';
import { tracePodSync } from './traced-pod-sync.ts';
import { traceStatusWrite } from './traced-status-write.ts';

const web = pod('web', { uid: 'u1', namespace: 'shop' });
const reference = { uid: 'u1', name: 'web', namespace: 'shop' };
const runtimePod: RuntimePod = { sandboxes: [], containers: [], ips: [] };
const sync: SyncRequest = { pod: web, runtimePod, updateType: 'update', mirrorPod: null };
const stop: StopRequest = { pod: web, runtimePod, graceSeconds: 3, overrideStatus: null };
const { signal } = new AbortController();

const IDENTITY = {
  'k8s.pod.uid': 'u1',
  'k8s.pod': 'shop/web',
  'k8s.pod.name': 'web',
  'k8s.namespace.name': 'shop',
};

/** Records its calls, and needs its `this`, as a class would. */
class RecordingPodSync implements PodSync {
  readonly calls: (readonly unknown[])[] = [];
  readonly result: SyncResult = { terminal: true };

  syncPod(...call: readonly unknown[]): Promise<SyncResult> {
    this.calls.push(['syncPod', ...call]);
    return Promise.resolve(this.result);
  }

  async syncTerminatingPod(...call: readonly unknown[]): Promise<void> {
    this.calls.push(['syncTerminatingPod', ...call]);
  }

  async syncTerminatingRuntimePod(...call: readonly unknown[]): Promise<void> {
    this.calls.push(['syncTerminatingRuntimePod', ...call]);
  }

  async syncTerminatedPod(...call: readonly unknown[]): Promise<void> {
    this.calls.push(['syncTerminatedPod', ...call]);
  }
}

async function callAll(podSync: PodSync): Promise<SyncResult> {
  const result = await podSync.syncPod(sync, signal);
  await podSync.syncTerminatingPod(stop, signal);
  await podSync.syncTerminatingRuntimePod(reference, signal);
  await podSync.syncTerminatedPod(sync, signal);
  return result;
}

test('every handler is a span that names its pod, and a sync has its update type', async () => {
  const tracer = new MemoryTracer();
  await callAll(tracePodSync(new RecordingPodSync(), tracer));
  expect(tracer.spans.map(({ name, attributes }) => [name, attributes])).toEqual([
    ['syncPod', { ...IDENTITY, 'k8s.pod.update_type': 'update' }],
    ['syncTerminatingPod', IDENTITY],
    ['syncTerminatingRuntimePod', IDENTITY],
    ['syncTerminatedPod', IDENTITY],
  ]);
  expect(tracer.spans.map(({ ends, parent }) => [ends, parent])).toEqual(
    Array.from({ length: 4 }, () => [1, undefined]),
  );
});

test.each<[string, Tracer]>([
  ['a tracer', new MemoryTracer()],
  ['the tracer of no SDK', trace.getTracer('test')],
])('with %s the handlers get the very same requests and signals', async (_case, tracer) => {
  const podSync = new RecordingPodSync();
  await expect(callAll(tracePodSync(podSync, tracer))).resolves.toBe(podSync.result);
  const expected = [
    ['syncPod', sync, signal],
    ['syncTerminatingPod', stop, signal],
    ['syncTerminatingRuntimePod', reference, signal],
    ['syncTerminatedPod', sync, signal],
  ];
  expect(podSync.calls).toEqual(expected);
  const same = podSync.calls.flat().every((part, index) => part === expected.flat()[index]);
  expect(same).toBe(true);
});

test.each([
  'syncPod',
  'syncTerminatingPod',
  'syncTerminatingRuntimePod',
  'syncTerminatedPod',
] as const)('a cancelled %s is marked as such', async (method) => {
  const tracer = new MemoryTracer();
  const controller = new AbortController();
  controller.abort('overtaken');
  const fail = (): Promise<never> => Promise.reject(controller.signal.reason);
  const failing: PodSync = {
    syncPod: fail,
    syncTerminatingPod: fail,
    syncTerminatingRuntimePod: fail,
    syncTerminatedPod: fail,
  };
  const call = tracePodSync(failing, tracer)[method] as (
    request: unknown,
    signal: AbortSignal,
  ) => Promise<unknown>;
  const request = method === 'syncTerminatingRuntimePod' ? reference : { ...sync, ...stop };
  await expect(call(request, controller.signal)).rejects.toBe('overtaken');
  expect(tracer.spans[0]?.attributes['podkeep.cancelled']).toBe(true);
});

test('spans started during a sync are its children', async () => {
  context.setGlobalContextManager(asyncContexts());
  onTestFinished(() => context.disable());
  const tracer = new MemoryTracer();
  const podSync = new RecordingPodSync();
  podSync.syncPod = async () => {
    await Promise.resolve();
    await traceStatusWrite(tracer, reference, () => Promise.resolve());
    return { terminal: false };
  };
  await tracePodSync(podSync, tracer).syncPod(sync, signal);
  await traceStatusWrite(tracer, reference, () => Promise.resolve());
  const [first, second, third] = tracer.spans;
  expect(tracer.spans.map(({ name }) => name)).toEqual([
    'syncPod',
    'writePodStatus',
    'writePodStatus',
  ]);
  expect(second?.parent).toBe(first);
  expect([first?.parent, third?.parent]).toEqual([undefined, undefined]);
});
