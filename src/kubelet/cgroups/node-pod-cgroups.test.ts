import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { livePod } from '../../../test/kubelet/runs/live-pod.ts';
import type { Clock } from '../../ports/clock.ts';
import { CgroupTree } from './cgroup-tree.ts';
import { NodePodCgroups } from './node-pod-cgroups.ts';
import { SystemdSlices } from './systemd-slices.ts';

const SETTINGS = { hasCpuQuota: true, cpuPeriodUs: 100_000, podPidsLimit: 50, hugePageSizes: [] };
const BOTH = { cpu: '500m', memory: '1M' };
const BURSTABLE = livePod('web', {
  containers: [{ name: 'c', resources: { requests: { cpu: '250m' } } }],
});
const GUARANTEED = livePod('db', {
  containers: [{ name: 'c', resources: { requests: BOTH, limits: BOTH } }],
});
const NO_LOG = { debug() {}, info() {}, warn() {}, error() {} };
/** A clock without delays. */
const HASTY: Clock = {
  now: () => 0,
  monotonic: () => 0,
  after: (_delayMs, wake) => {
    queueMicrotask(wake);
    return () => {};
  },
};

let root = '';

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'podkeep-cgroups-'));
});

afterEach(() => rm(root, { recursive: true, force: true }));

/** A tree of ordinary folders: the files that the kernel adds to a new cgroup are missing. */
function harness(version: 1 | 2, systemctl?: string[]) {
  const names = ['cpu', 'memory', 'pids'];
  const folders = new Map(
    names.map((name) => [name, version === 1 ? path.join(root, name) : root]),
  );
  const slices =
    systemctl &&
    new SystemdSlices(version, (args) => {
      systemctl.push(args.join(' '));
      return Promise.resolve();
    });
  const killed: number[] = [];
  const cgroups = new NodePodCgroups({
    tree: new CgroupTree({ mounts: { version, folders }, slices }),
    clock: HASTY,
    log: NO_LOG,
    pods: ['kubepods'],
    settings: SETTINGS,
    kill: (pid) => killed.push(pid),
  });
  return { cgroups, killed };
}

const textOf = (...parts: readonly string[]): Promise<string> =>
  readFile(path.join(root, ...parts), 'utf8');

test('version 1: a pod has a cgroup in each tree, below its QoS class', async () => {
  const { cgroups } = harness(1);
  await cgroups.start();
  expect(await textOf('cpu/kubepods/besteffort/cpu.shares')).toBe('2');
  expect(cgroups.exists(BURSTABLE)).toBe(false);
  await cgroups.ensure(BURSTABLE);
  expect(cgroups.exists(BURSTABLE)).toBe(true);
  expect(cgroups.parentOf(BURSTABLE)).toBe('/kubepods/burstable/poduid-of-web');
  const folder = 'kubepods/burstable/poduid-of-web';
  expect(await textOf('cpu', folder, 'cpu.shares')).toBe('256');
  expect(await textOf('pids', folder, 'pids.max')).toBe('50');
  expect(existsSync(path.join(root, 'memory', folder, 'memory.limit_in_bytes'))).toBe(false);
});

test('version 2: every level delegates its controllers', async () => {
  const { cgroups } = harness(2);
  await cgroups.start();
  await cgroups.ensure(GUARANTEED);
  const folder = 'kubepods/poduid-of-db';
  expect(await textOf(folder, 'cpu.max')).toBe('50000 100000');
  expect(await textOf(folder, 'memory.max')).toBe('1000000');
  expect(await textOf('cgroup.subtree_control')).toBe('+cpu +memory +pids');
  expect(await textOf('kubepods/cgroup.subtree_control')).toBe('+cpu +memory +pids');
});

test('with systemd, cgroups are slices that systemd creates', async () => {
  const systemctl: string[] = [];
  const { cgroups } = harness(2, systemctl);
  await cgroups.start();
  systemctl.length = 0;
  await cgroups.ensure(GUARANTEED);
  expect(cgroups.parentOf(GUARANTEED)).toBe('/kubepods.slice/kubepods-poduid_of_db.slice');
  expect(systemctl).toEqual([
    'start kubepods-poduid_of_db.slice',
    'set-property --runtime kubepods-poduid_of_db.slice CPUWeight=20 CPUQuota=50% ' +
      'MemoryMax=1000000 TasksMax=50',
  ]);
});

test('a resize raises limits before it starts, and lowers the rest at its end (E-4)', async () => {
  const { cgroups } = harness(2);
  await cgroups.start();
  await cgroups.ensure(GUARANTEED);
  const folder = 'kubepods/poduid-of-db';
  const other = { cpu: '1', memory: '500k' };
  const resized = livePod('db', {
    containers: [{ name: 'c', resources: { requests: other, limits: other } }],
  });
  await cgroups.raise(resized);
  expect(await textOf(folder, 'cpu.max')).toBe('100000 100000');
  expect(await textOf(folder, 'memory.max')).toBe('1000000');
  await cgroups.settle(resized);
  expect(await textOf(folder, 'memory.max')).toBe('500000');
});

test('burstable pods share what they request, and all pods what the node has', async () => {
  const { cgroups } = harness(1);
  await cgroups.start();
  await cgroups.share([BURSTABLE, GUARANTEED]);
  expect(await textOf('cpu/kubepods/burstable/cpu.shares')).toBe('256');
  await cgroups.limitAll({ cpu: '2', memory: '1Gi' });
  expect(await textOf('cpu/kubepods/cpu.shares')).toBe('2048');
  expect(await textOf('memory/kubepods/memory.limit_in_bytes')).toBe(String(2 ** 30));
});

test('processes in the cgroup of an ended pod are killed first', async () => {
  const { cgroups, killed } = harness(1);
  await cgroups.start();
  const folder = path.join(root, 'memory/kubepods/burstable/poduid-of-web/container');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'cgroup.procs'), '41\n42\n');
  // In the kernel's own tree these files go with their folder; here nothing can be removed.
  await expect(cgroups.destroy(BURSTABLE)).rejects.toThrow(/not empty|ENOTEMPTY/);
  expect(killed.slice(0, 2)).toEqual([41, 42]);
});

test('cgroups of pods that are not desired are removed, unless their volumes exist (KL-64)', async () => {
  const { cgroups } = harness(1);
  await cgroups.start();
  for (const uid of ['kept', 'gone', 'mounted']) {
    await mkdir(path.join(root, 'memory/kubepods/burstable', `pod${uid}`), { recursive: true });
    await mkdir(path.join(root, 'cpu/kubepods/burstable', `pod${uid}`), { recursive: true });
  }
  await cgroups.removeOrphans(new Set(['kept']), (uid) => Promise.resolve(uid === 'mounted'));
  const left = (uid: string) =>
    existsSync(path.join(root, 'memory/kubepods/burstable', `pod${uid}`));
  expect(['kept', 'gone', 'mounted'].map(left)).toEqual([true, false, true]);
  expect(await textOf('cpu/kubepods/burstable/podmounted/cpu.shares')).toBe('2');
});
