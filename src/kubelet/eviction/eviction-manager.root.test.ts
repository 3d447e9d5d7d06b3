/**
 * Real pressure, bounded: a small ext4 and a small tmpfs that really fill up, and a control group whose
 * memory a process under a hard limit really uses. Only root may mount and limit, and not everywhere.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test, type TestContext } from 'vitest';
import { pod } from '../../../test/support/pods.ts';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { Pod } from '../../api/pod.ts';
import type { Capacity } from '../../api/machine.ts';
import {
  parseEvictionSettings,
  type EvictionSettings,
} from '../../core/eviction/threshold-settings.ts';
import { systemMachine } from '../../platform/machine/system-machine.ts';
import type { RuntimePodEntry } from '../../ports/runtime/pod-runtime.ts';
import type { SandboxStats } from '../../ports/runtime/stats.ts';
import { openPodCgroups } from '../cgroups/open-pod-cgroups.ts';
import { DiskPodFiles } from '../volumes/files/disk-pod-files.ts';
import { VolumeLayout } from '../volumes/volume-layout.ts';
import { DiskUsage } from './disk-usage.ts';
import { EvictionManager } from './eviction-manager.ts';
import { NodeObserver } from './node-observer.ts';
import { PodUsageReader } from './pod-usage-reader.ts';

const MiB = 2 ** 20;
const SKIP = 'mounting a small disk needs root';

interface World {
  readonly rootFolder: string;
  readonly pods: Pod[];
  readonly settings: EvictionSettings;
  readonly podsMemory?: () => Promise<Capacity | null>;
  readonly stats?: readonly SandboxStats[];
  /** The pod's resources are freed. */
  readonly killed: (uid: string) => void;
}

function harness({ rootFolder, pods, settings, podsMemory, stats = [], killed }: World) {
  const clock = new VirtualClock();
  const layout = new VolumeLayout(rootFolder);
  const files = new DiskPodFiles({ rootFolder, logFolder: path.join(rootFolder, 'logs') });
  const disk = new DiskUsage({ clock, rootFolder, layout, files, countsUnfinished: true });
  const [evicted, nodeEvents]: [string[], string[]] = [[], []];
  const runtime = {
    list: async () =>
      pods.map(({ metadata: { uid = '', name = '' } }) => ({
        uid,
        name,
        namespace: 'default',
        pod: { sandboxes: [{ ready: true }], containers: [], ips: [] },
      })) as unknown as readonly RuntimePodEntry[],
    sandboxStats: async () => stats,
    images: { usage: async () => null },
  };
  const deps = { clock, log: silentLog, machine: systemMachine(), rootFolder, runtime, disk };
  const manager = new EvictionManager({
    clock,
    log: silentLog,
    events: {
      record: ({ name }, _type, reason, message) => evicted.push(`${name} ${reason} ${message}`),
    },
    nodeEvents: { recordNode: (_type, reason, message) => nodeEvents.push(`${reason} ${message}`) },
    metrics: { podEvicted: () => {}, statsUsed: () => {} },
    observer: new NodeObserver({ ...deps, podsMemory }),
    usage: new PodUsageReader({ runtime, disk }),
    activePods: () => pods,
    reclaim: { containers: async () => {}, images: async () => {} },
    killPod: async ({ metadata: { uid = '' } }) => {
      killed(uid);
      pods.splice(
        pods.findIndex(({ metadata }) => metadata.uid === uid),
        1,
      );
    },
    isCleanedUp: () => true,
    changed: () => {},
    settings: {
      thresholds: parseEvictionSettings(settings),
      transitionMs: 30_000,
      maxPodGraceSeconds: 0,
    },
  });
  onTestFinished(() => manager.stop());
  const round = async (): Promise<void> => {
    await clock.pass(10_000);
    await manager.synchronize();
  };
  const pressures = (): readonly string[] => [...manager.pressures()];
  return { clock, manager, round, evicted, nodeEvents, pressures, volume: volumeIn(layout) };
}

function volumeIn(layout: VolumeLayout) {
  return (uid: string): string => {
    const folder = layout.volumeFolder(uid, 'empty-dir', 'data');
    mkdirSync(folder, { recursive: true });
    return folder;
  };
}

function podWithVolume(name: string): Pod {
  const plain = pod(name, { phase: 'Running' });
  return { ...plain, spec: { ...plain.spec, volumes: [{ name: 'data', emptyDir: {} }] } as never };
}

/** Undefined: this user may not mount, or has no such programs. */
function mount(context: TestContext, kind: 'ext4' | 'tmpfs'): string | undefined {
  const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-pressure-'));
  const [image, target] = [path.join(folder, 'image'), path.join(folder, 'mounted')];
  mkdirSync(target);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const run = (program: string, ...args: readonly string[]) =>
    execFileSync(program, args, { stdio: 'pipe' });
  try {
    if (kind === 'tmpfs') {
      run('mount', '-t', 'tmpfs', '-o', 'size=32m,nr_inodes=1000', 'tmpfs', target);
    } else {
      writeFileSync(image, '');
      truncateSync(image, 64 * MiB);
      run('mkfs.ext4', '-q', '-m', '0', image);
      run('mount', '-o', 'loop', image, target);
    }
  } catch {
    console.log(`skipped: ${SKIP}`);
    context.skip(SKIP);
    return undefined;
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', target]));
  return target;
}

test.for(['ext4', 'tmpfs'] as const)(
  'a full %s: the pod with the largest volume goes',
  async (kind, context) => {
    const rootFolder = mount(context, kind);
    if (rootFolder === undefined) return;
    const pods = ['small', 'large'].map(podWithVolume);
    const world = harness({
      rootFolder,
      pods,
      settings: { hard: { 'nodefs.available': '16Mi' } },
      killed: (uid) => rmSync(path.join(rootFolder, 'pods', uid), { recursive: true }),
    });
    const fill = (uid: string, bytes: number): void => {
      writeFileSync(path.join(world.volume(uid), 'ballast'), Buffer.alloc(bytes, 1));
    };
    fill('small', 2 * MiB);
    await world.round();
    expect([world.pressures(), world.evicted]).toEqual([[], []]);
    fill('large', (kind === 'ext4' ? 40 : 15) * MiB);
    await world.round();
    expect(world.pressures()).toEqual(['DiskPressure']);
    expect(world.nodeEvents).toEqual([
      'EvictionThresholdMet Attempting to reclaim ephemeral-storage',
    ]);
    expect(world.evicted).toEqual([
      expect.stringMatching(
        /^large Evicted The node was low on resource: ephemeral-storage\. Threshold quantity: 16Mi, available: /,
      ),
    ]);
    for (let rounds = 0; rounds < 4; rounds += 1) await world.round();
    expect([world.pressures(), world.evicted.length, pods.length]).toEqual([[], 1, 1]);
  },
);

test('no inodes left: the pod with the most files goes', async (context) => {
  const rootFolder = mount(context, 'tmpfs');
  if (rootFolder === undefined) return;
  const pods = ['bytes', 'files'].map(podWithVolume);
  const world = harness({
    rootFolder,
    pods,
    settings: { hard: { 'nodefs.inodesFree': '20%' } },
    killed: (uid) => rmSync(path.join(rootFolder, 'pods', uid), { recursive: true }),
  });
  writeFileSync(path.join(world.volume('bytes'), 'ballast'), Buffer.alloc(8 * MiB, 1));
  const files = world.volume('files');
  for (let n = 0; n < 850; n += 1) writeFileSync(path.join(files, `${n}`), '');
  await world.round();
  expect(world.pressures()).toEqual(['DiskPressure']);
  expect(world.evicted).toEqual([
    expect.stringMatching(
      /^files Evicted The node was low on resource: inodes\. Threshold quantity: 200, /,
    ),
  ]);
  for (let rounds = 0; rounds < 4; rounds += 1) await world.round();
  expect(world.pressures()).toEqual([]);
});

test('pods that use up their common control group: the largest goes, and the memory is free again', async (context) => {
  const root = `/podkeep-pressure-${process.pid}`;
  const opened = await openPodCgroups({
    driver: 'cgroupfs',
    root,
    settings: { hasCpuQuota: false, cpuPeriodUs: 100_000, podPidsLimit: -1, hugePageSizes: [] },
    clock: new VirtualClock(),
    log: silentLog,
  }).catch(() => null);
  const own = pod('hungry', { phase: 'Running' });
  if (!opened) {
    console.log('skipped: control groups need root');
    context.skip('control groups need root');
    return;
  }
  const { cgroups } = opened;
  await cgroups.limitAll({ memory: '128Mi' });
  await cgroups.ensure(own);
  const folder = path.join('/sys/fs/cgroup/memory', cgroups.parentOf(own));
  const unified = path.join('/sys/fs/cgroup', cgroups.parentOf(own));
  const child = spawn(
    'sh',
    [
      '-c',
      `echo $$ > ${folder}/cgroup.procs 2>/dev/null || echo $$ > ${unified}/cgroup.procs; ` +
        `exec "$0" -e 'b = Buffer.alloc(60 * 2 ** 20, 1); console.log("full"); setInterval(() => b, 1000)'`,
      process.execPath,
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const ended = new Promise((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    await cgroups.destroy(own);
    for (const base of ['/sys/fs/cgroup', '/sys/fs/cgroup/*'])
      execFileSync('sh', [
        '-c',
        `find ${base}${root} -depth -type d -exec rmdir {} + 2>/dev/null; :`,
      ]);
    opened.close();
  });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const used = await cgroups.memory();
  expect(used?.capacity).toBe(128 * MiB);
  const world = harness({
    rootFolder: tmpdir(),
    pods: [pod('modest', { phase: 'Running' }), own],
    settings: { hard: { 'allocatableMemory.available': '64Mi' } },
    podsMemory: () => cgroups.memory(),
    stats: [
      { podUid: 'modest', memory: { timeMs: 0, workingSetBytes: MiB } },
      { podUid: 'hungry', memory: { timeMs: 0, workingSetBytes: 80 * MiB } },
    ],
    killed: () => void child.kill('SIGKILL'),
  });
  await world.round();
  expect(world.pressures()).toEqual(['MemoryPressure']);
  expect(world.evicted).toEqual([
    expect.stringMatching(
      /^hungry Evicted The node was low on resource: memory\. Threshold quantity: 64Mi, available: /,
    ),
  ]);
  await ended;
  for (let rounds = 0; rounds < 4; rounds += 1) await world.round();
  expect([world.pressures(), world.evicted.length]).toEqual([[], 1]);
});
