import { expect, test } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { RunInSpan, SpanOptions } from '../../ports/observe/run-in-span.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import { SimulatedMachine } from '../../runtimes/simulated/machine.ts';
import { SimulatedRuntime } from '../../runtimes/simulated/simulated-runtime.ts';
import { tracedRuntime } from './traced-runtime.ts';

function harness(isRemote: boolean) {
  const spans: SpanOptions[] = [];
  const run: RunInSpan = (options, work) => {
    spans.push(options);
    return work();
  };
  const real: PodRuntime = new SimulatedRuntime({
    machine: new SimulatedMachine({ clock: new VirtualClock(), images: ['busy:1'] }),
  });
  return { spans, real, runtime: tracedRuntime(real, { run, isRemote }) };
}

test('calls have the names of CRI, their answers and their signals', async () => {
  const { spans, runtime } = harness(true);
  const { signal } = new AbortController();
  expect(await runtime.list()).toEqual([]);
  expect(await runtime.images.find('busy:1')).toMatchObject({ names: ['busy:1'] });
  await runtime.images.pull('busy:1', null, signal).catch(() => {});
  await expect(runtime.startContainer('none')).rejects.toMatchObject({ code: 'RUNTIME_NOT_FOUND' });
  expect(spans.map(({ name }) => name)).toEqual([
    'runtime.v1.RuntimeService/ListPodSandbox',
    'runtime.v1.ImageService/ImageStatus',
    'runtime.v1.ImageService/PullImage',
    'runtime.v1.RuntimeService/StartContainer',
  ]);
  expect(spans.map((span) => span.signal)).toEqual([undefined, undefined, signal, undefined]);
  expect(spans[3]).toMatchObject({
    kind: 'client',
    attributes: {
      'rpc.method': 'runtime.v1.RuntimeService/StartContainer',
      'rpc.system.name': 'grpc',
    },
  });
});

test('a runtime in this process is not called by gRPC', async () => {
  const { spans, runtime } = harness(false);
  await runtime.status();
  expect(spans).toEqual([
    {
      name: 'runtime.v1.RuntimeService/Status',
      attributes: { 'rpc.method': 'runtime.v1.RuntimeService/Status' },
    },
  ]);
});

test('what a runtime does not offer stays absent', () => {
  const { real, runtime } = harness(false);
  const optional = [
    ...(['cgroupDriver', 'follow', 'updateResources', 'exec', 'attach', 'connectPort'] as const),
    ...(['ownsPort', 'containerStats', 'sandboxStats', 'usesPodCgroups'] as const),
  ];
  const missing = (one: PodRuntime) => optional.filter((name) => one[name] === undefined);
  expect(missing(runtime)).toEqual(missing(real));
  expect(missing(real).length).toBeGreaterThan(0);
});
