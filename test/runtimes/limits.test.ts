/** Containers that take too much are ended, and what they take is told. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { keyOf } from '../../src/runtimes/process/layout.ts';
import { Stage, until } from '../suites/pod-runtime/stage.ts';
import { openForTest } from './process-runtime.ts';

const HAS_GROUPS = process.getuid?.() === 0 && existsSync('/sys/fs/cgroup');
const MEGABYTE = 1024 * 1024;
/** Takes the memory and holds it. */
const greedy = (megabytes: number): readonly string[] => [
  'sh',
  '-c',
  `head -c ${megabytes * MEGABYTE} /dev/zero | tail -c ${megabytes * MEGABYTE} >/dev/null & wait; exit 1`,
];
/** Keeps its memory until it is ended, in a process that is not the first one. */
const hoarder = [
  'sh',
  '-c',
  `(head -c ${100 * MEGABYTE} /dev/zero; sleep 1000) | tail -c ${200 * MEGABYTE} >/dev/null`,
];

let stage: Stage;

afterEach(() => stage.close());

describe('without control groups', () => {
  test('a container that holds too much memory is ended for it', async () => {
    stage = new Stage(await openForTest({ cgroups: 'none' }));
    const id = await stage.start({
      command: hoarder,
      resources: { memoryLimitBytes: 30 * MEGABYTE },
    });
    expect(await stage.exited(id)).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
  });

  test('a limit can be raised while the container runs', async () => {
    stage = new Stage(await openForTest({ cgroups: 'none' }));
    const id = await stage.start({ resources: { memoryLimitBytes: 500 * MEGABYTE } });
    await stage.runtime.updateResources?.(id, { memoryLimitBytes: 1 });
    expect((await stage.exited(id)).reason).toBe('OOMKilled');
  });

  test('the runtime says that it does not limit CPU', async () => {
    stage = new Stage(await openForTest({ cgroups: 'none' }));
    const { features } = await stage.runtime.status();
    expect(features).toMatchObject({ enforcesCpu: false, enforcesMemory: true });
  });

  test('what containers use is added up from their processes', async () => {
    stage = new Stage(await openForTest({ cgroups: 'none' }));
    const id = await stage.start({ command: hoarder });
    const stats = async () => (await stage.runtime.containerStats?.())?.find((s) => s.id === id);
    await until(async () => ((await stats())?.memory?.residentBytes ?? 0) > 50 * MEGABYTE);
    const [pod] = (await stage.runtime.sandboxStats?.()) ?? [];
    expect(pod?.memory?.workingSetBytes).toBeGreaterThan(50 * MEGABYTE);
    expect(pod?.processes).toBeGreaterThan(3);
    expect((await stats())?.cpu?.usageNanoseconds).toBeGreaterThan(0n);
  });
});

describe('with control groups', () => {
  test('a container that takes too much memory is ended by the kernel', async (context) => {
    stage = new Stage(await openForTest());
    if (!HAS_GROUPS) skip(context);
    const id = await stage.start({
      command: greedy(100),
      resources: { memoryLimitBytes: 30 * MEGABYTE, cpuQuota: 50_000, cpuShares: 512 },
    });
    expect((await stage.exited(id)).reason).toBe('OOMKilled');
  });

  test('limits are written where the kernel reads them, and go with the container', async (context) => {
    stage = new Stage(await openForTest());
    if (!HAS_GROUPS) skip(context);
    const id = await stage.start({ resources: { memoryLimitBytes: 64 * MEGABYTE } });
    const group = id.slice(-32);
    expect(groups(group).length).toBeGreaterThan(0);
    await stage.runtime.updateResources?.(id, { memoryLimitBytes: 96 * MEGABYTE });
    const stats = (await stage.runtime.containerStats?.())?.[0];
    expect(stats?.memory?.usageBytes).toBeGreaterThan(0);
    await stage.runtime.removeContainer(id);
    expect(groups(group)).toEqual([]);
  });

  test('what has ended keeps no control group when the runtime closes', async (context) => {
    stage = new Stage(await openForTest());
    if (!HAS_GROUPS) skip(context);
    const id = await stage.start({ command: ['true'] });
    await stage.exited(id);
    await stage.runtime.close();
    expect(groups(id.slice(-32))).toEqual([]);
  });

  test('what was created and never started keeps none either', async (context) => {
    stage = new Stage(await openForTest());
    if (!HAS_GROUPS) skip(context);
    const id = await stage.create(await stage.runSandbox());
    await stage.runtime.close();
    expect(groups(id.slice(-32))).toEqual([]);
  });
});

/** Only of this runtime: those of others come and go meanwhile. */
function groups(name: string): readonly string[] {
  const own = `podkeep-${keyOf(path.join(stage.folder, 'runtime'))}`;
  return ['', ...readdirSync('/sys/fs/cgroup')]
    .map((controller) => path.join('/sys/fs/cgroup', controller, own, name))
    .filter((folder) => existsSync(folder));
}

function skip(context: { skip(reason: string): never }): never {
  const reason = 'control groups can be made by root only, here';
  console.log(`skipped: ${reason}`);
  return context.skip(reason);
}
