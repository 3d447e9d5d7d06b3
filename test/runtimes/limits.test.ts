/** Containers that exceed their limits are killed, and their usage is reported. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { keyOf } from '../../src/runtimes/process/layout.ts';
import { TestHarness, until } from '../suites/pod-runtime/runtime-harness.ts';
import { openForTest } from './process-runtime.ts';

const HAS_GROUPS = process.getuid?.() === 0 && existsSync('/sys/fs/cgroup');
const MEGABYTE = 1024 * 1024;
/** Allocates the memory and holds it. */
const greedy = (megabytes: number): readonly string[] => [
  'sh',
  '-c',
  `head -c ${megabytes * MEGABYTE} /dev/zero | tail -c ${megabytes * MEGABYTE} >/dev/null & wait; exit 1`,
];
/** Holds its memory until it is killed, in a process that is not the first one. */
const hoarder = [
  'sh',
  '-c',
  `(head -c ${100 * MEGABYTE} /dev/zero; sleep 1000) | tail -c ${200 * MEGABYTE} >/dev/null`,
];

let harness: TestHarness;

afterEach(() => harness.close());

describe('without control groups', () => {
  test('a container that holds too much memory is killed for it', async () => {
    harness = new TestHarness(await openForTest({ cgroups: 'none' }));
    const id = await harness.start({
      command: hoarder,
      resources: { memoryLimitBytes: 30 * MEGABYTE },
    });
    expect(await harness.exited(id)).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
  });

  test('a limit can be raised while the container runs', async () => {
    harness = new TestHarness(await openForTest({ cgroups: 'none' }));
    const id = await harness.start({ resources: { memoryLimitBytes: 500 * MEGABYTE } });
    await harness.runtime.updateResources?.(id, { memoryLimitBytes: 1 });
    expect((await harness.exited(id)).reason).toBe('OOMKilled');
  });

  test('the runtime reports that it does not limit CPU', async () => {
    harness = new TestHarness(await openForTest({ cgroups: 'none' }));
    const { features } = await harness.runtime.status();
    expect(features).toMatchObject({ enforcesCpu: false, enforcesMemory: true });
  });

  test('the usage of containers is added up from their processes', async () => {
    harness = new TestHarness(await openForTest({ cgroups: 'none' }));
    const id = await harness.start({ command: hoarder });
    const stats = async () => (await harness.runtime.containerStats?.())?.find((s) => s.id === id);
    await until(async () => ((await stats())?.memory?.residentBytes ?? 0) > 50 * MEGABYTE);
    const [pod] = (await harness.runtime.sandboxStats?.()) ?? [];
    expect(pod?.memory?.workingSetBytes).toBeGreaterThan(50 * MEGABYTE);
    expect(pod?.processes).toBeGreaterThan(3);
    expect((await stats())?.cpu?.usageNanoseconds).toBeGreaterThan(0n);
  });
});

describe('with control groups', () => {
  test('a container that uses too much memory is killed by the kernel', async (context) => {
    harness = new TestHarness(await openForTest());
    if (!HAS_GROUPS) skip(context);
    const id = await harness.start({
      command: greedy(100),
      resources: { memoryLimitBytes: 30 * MEGABYTE, cpuQuota: 50_000, cpuShares: 512 },
    });
    expect((await harness.exited(id)).reason).toBe('OOMKilled');
  });

  test('limits are written where the kernel reads them, and go with the container', async (context) => {
    harness = new TestHarness(await openForTest());
    if (!HAS_GROUPS) skip(context);
    const id = await harness.start({ resources: { memoryLimitBytes: 64 * MEGABYTE } });
    const group = id.slice(-32);
    expect(groups(group).length).toBeGreaterThan(0);
    await harness.runtime.updateResources?.(id, { memoryLimitBytes: 96 * MEGABYTE });
    const stats = (await harness.runtime.containerStats?.())?.[0];
    expect(stats?.memory?.usageBytes).toBeGreaterThan(0);
    await harness.runtime.removeContainer(id);
    expect(groups(group)).toEqual([]);
  });

  test('an exited container keeps no control group when the runtime closes', async (context) => {
    harness = new TestHarness(await openForTest());
    if (!HAS_GROUPS) skip(context);
    const id = await harness.start({ command: ['true'] });
    await harness.exited(id);
    await harness.runtime.close();
    expect(groups(id.slice(-32))).toEqual([]);
  });

  test('a container that was never started keeps none either', async (context) => {
    harness = new TestHarness(await openForTest());
    if (!HAS_GROUPS) skip(context);
    const id = await harness.create(await harness.runSandbox());
    await harness.runtime.close();
    expect(groups(id.slice(-32))).toEqual([]);
  });
});

/** Only of this runtime: those of others come and go meanwhile. */
function groups(name: string): readonly string[] {
  const own = `podkeep-${keyOf(path.join(harness.folder, 'runtime'))}`;
  return ['', ...readdirSync('/sys/fs/cgroup')]
    .map((controller) => path.join('/sys/fs/cgroup', controller, own, name))
    .filter((folder) => existsSync(folder));
}

function skip(context: { skip(reason: string): never }): never {
  const reason = 'control groups can be made by root only, here';
  console.log(`skipped: ${reason}`);
  return context.skip(reason);
}
