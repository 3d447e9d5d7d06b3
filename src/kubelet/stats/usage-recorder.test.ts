import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { UsageRecorder } from './usage-recorder.ts';
import type { Usage } from './usage-reader.ts';

interface Recorded {
  readonly node: { readonly points: readonly Point[] };
  readonly pods: readonly { readonly name: string; readonly points: readonly Point[] }[];
}

interface Point {
  readonly at: string;
  readonly mean: Readonly<Record<string, number>>;
}

function recorder() {
  const clock = new VirtualClock();
  const world = { pods: ['web'], isDown: false, cores: 0.5 };
  const made = new UsageRecorder({
    clock,
    log: silentLog,
    disk: async () => null,
    usage: {
      read: async () => {
        if (world.isDown) throw new Error('the runtime does not answer');
        return usageOf(world, clock.now());
      },
    },
  });
  onTestFinished(() => made.stop());
  made.start();
  const report = (matched: readonly string[] | null = null): Recorded =>
    made.report('node-1', matched && new Set(matched)) as unknown as Recorded;
  return { clock, world, made, report };
}

function usageOf(
  { pods, cores }: { pods: readonly string[]; cores: number },
  timeMs: number,
): Usage {
  const cpu = { timeMs, usageNanoseconds: 0n, nanoCores: cores * 1e9 };
  const memory = { timeMs, workingSetBytes: 2 ** 20 };
  return {
    machine: {
      startedAtMs: 0,
      cores: 2,
      cpu,
      memory: { ...memory, totalBytes: 2 ** 22 },
      networks: [],
    },
    cpu,
    pods: pods.map((name) => ({
      pod: { namespace: 'default', name, uid: name },
      startedAtMs: 0,
      containers: [],
      cpu,
      memory,
    })),
    classes: [],
  };
}

test('an hour is kept, at most 80 points of node and pod, and unknown values are absent', async () => {
  const { clock, report } = recorder();
  for (let minute = 0; minute < 120; minute += 1) await clock.pass(60_000);
  const { node, pods } = report();
  expect(node.points.length).toBeGreaterThan(70);
  expect(node.points.length).toBeLessThanOrEqual(80);
  const [first, last] = [node.points[0], node.points.at(-1)];
  const hourMs = Date.parse(last?.at ?? '') - Date.parse(first?.at ?? '');
  expect(hourMs).toBeGreaterThan(59 * 60_000);
  expect(hourMs).toBeLessThanOrEqual(60 * 60_000);
  expect(last?.mean).toEqual({
    cpuCores: 0.5,
    memoryWorkingSetBytes: 2 ** 20,
    cpuSaturation: 0.25,
    memorySaturation: 0.25,
  });
  expect(pods[0]?.points.at(-1)?.mean).toEqual({ cpuCores: 0.5, memoryWorkingSetBytes: 2 ** 20 });
});

test('a pod that is gone stays for an hour, and is then forgotten', async () => {
  const { clock, world, report } = recorder();
  await clock.pass(60_000);
  world.pods = ['next'];
  await clock.pass(58 * 60_000);
  expect(report().pods.map(({ name }) => name)).toEqual(['web', 'next']);
  expect(report(['next']).pods.map(({ name }) => name)).toEqual(['next']);
  await clock.pass(5 * 60_000);
  expect(report().pods.map(({ name }) => name)).toEqual(['next']);
});

test('of more than 1,000 pods, the one measured the longest time ago is forgotten', async () => {
  const { world, made, report } = recorder();
  await made.sample();
  world.pods = Array.from({ length: 1000 }, (_, index) => `pod-${index}`);
  await made.sample();
  expect(report().pods).toHaveLength(1000);
  expect(report(['web']).pods).toEqual([]);
});

test('while the runtime does not answer there is a gap, and recording goes on after it', async () => {
  const { clock, world, report } = recorder();
  await clock.pass(30_000);
  world.isDown = true;
  await clock.pass(60_000);
  world.isDown = false;
  await clock.pass(15_000);
  expect(report().node.points).toHaveLength(3);
});
