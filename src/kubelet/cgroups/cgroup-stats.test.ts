/** Trees of control groups as kernels write them, of version 1 and 2, and the cAdvisor metrics of them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { cadvisorMetrics } from '../stats/cadvisor-metrics.ts';
import { UsageReader } from '../stats/usage-reader.ts';
import { readCgroupStats, type NodeCgroupStats } from './cgroup-stats.ts';
import { CgroupTree } from './cgroup-tree.ts';

type Files = Readonly<Record<string, string>>;

const ID = '0123456789abcdef';
const POD = 'kubepods/burstable/podu1';
const UNLIMITED =
  'usage_usec 5000000\nuser_usec 4000000\nsystem_usec 1000000\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n';
const LIMITED =
  'usage_usec 900000\nuser_usec 800000\nsystem_usec 100000\nnr_periods 30\nnr_throttled 20\nthrottled_usec 1500000\nnr_bursts 0\nburst_usec 0\n';
const MEMORY = 'anon 4096\nfile 8192\nkernel 1024\ninactive_anon 0\ninactive_file 2048\n';

const UNIFIED: Files = {
  'kubepods/cpu.stat': UNLIMITED,
  'kubepods/cpu.max': 'max 100000\n',
  'kubepods/memory.current': '20480\n',
  'kubepods/memory.stat': MEMORY,
  'kubepods/io.stat': '253:0 rbytes=8192 wbytes=512 rios=2 wios=1 dbytes=0 dios=0\n',
  'kubepods/burstable/cpu.stat': UNLIMITED,
  'kubepods/burstable/memory.current': '10240\n',
  'kubepods/burstable/memory.stat': MEMORY,
  'kubepods/besteffort/memory.current': '0\n',
  [`${POD}/cpu.stat`]: LIMITED,
  [`${POD}/cpu.max`]: '30000 100000\n',
  [`${POD}/io.stat`]: '253:0 rbytes=4096 wbytes=0 rios=1 wios=0 dbytes=0 dios=0\n',
  [`${POD}/${ID}/cpu.stat`]: LIMITED,
  [`${POD}/${ID}/cpu.max`]: '30000 100000\n',
  [`${POD}/${ID}/io.stat`]: '253:0 rbytes=4096 wbytes=0 rios=1 wios=0 dbytes=0 dios=0\n',
};

const SEPARATE: Files = {
  'cpuacct/kubepods/cpuacct.usage': '5000000000\n',
  'memory/kubepods/memory.usage_in_bytes': '20480\n',
  'memory/kubepods/memory.stat':
    'rss 0\ninactive_file 0\ntotal_rss 4096\ntotal_inactive_file 2048\n',
  [`cpu/${POD}/cpu.stat`]: 'nr_periods 30\nnr_throttled 20\nthrottled_time 1500000000\n',
  [`cpu/${POD}/cpu.cfs_quota_us`]: '30000\n',
  [`cpu/${POD}/${ID}/cpu.stat`]: 'nr_periods 0\nnr_throttled 0\nthrottled_time 0\n',
  [`cpu/${POD}/${ID}/cpu.cfs_quota_us`]: '-1\n',
  [`blkio/${POD}/${ID}/blkio.bfq.io_service_bytes_recursive`]: 'Total 0\n',
  [`blkio/${POD}/${ID}/blkio.throttle.io_service_bytes_recursive`]:
    '253:0 Read 4096\n253:0 Write 0\n253:0 Sync 4096\n253:0 Async 0\n253:0 Discard 0\n253:0 Total 4096\nTotal 4096\n',
};

async function statsOf(version: 1 | 2, files: Files): Promise<NodeCgroupStats> {
  const folder = makeTempFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  const controllers = ['cpu', 'cpuacct', 'memory', 'blkio'];
  const folders = new Map(
    controllers.map((name) => [name, version === 1 ? path.join(folder, name) : folder]),
  );
  const tree = new CgroupTree({ mounts: { version, folders } });
  const pods = new Map([['u1', ['kubepods', 'burstable', 'podu1']]]);
  return readCgroupStats({ tree, clock: { now: () => 7000 }, root: ['kubepods'], pods });
}

async function metricsOf(groups: NodeCgroupStats): Promise<readonly string[]> {
  const createdAt = '2026-01-01T00:00:00Z';
  const container = {
    id: `containerd://${ID}`,
    name: 'main',
    image: 'i',
    state: 'running',
    createdAt,
  };
  const pod = { sandboxes: [{ ready: true }], containers: [container], ips: [] };
  const reader = new UsageReader({
    runtime: { list: async () => [{ uid: 'u1', name: 'web', namespace: 'ns', pod }] as never },
    pods: () => [],
    machine: async () => ({
      startedAtMs: 0,
      cores: 2,
      cpu: { timeMs: 0, usageNanoseconds: 0n },
      memory: { timeMs: 0, workingSetBytes: 0, totalBytes: 1 },
      networks: [],
    }),
    cgroups: async () => groups,
  });
  const name = (major: number, minor: number): string => (major === 253 ? `/dev/vd${minor}` : '');
  return cadvisorMetrics(await reader.read(), name).split('\n');
}

test('version 2: QoS classes have CPU and memory, pods and containers throttling and I/O', async () => {
  const { classes, pods } = await statsOf(2, UNIFIED);
  expect(classes).toEqual([
    {
      path: '/kubepods',
      cpu: { timeMs: 7000, usageNanoseconds: 5_000_000_000n },
      memory: { timeMs: 7000, usageBytes: 20_480, workingSetBytes: 18_432, residentBytes: 4096 },
      io: [{ major: 253, minor: 0, bytes: { Read: 8192, Write: 512, Discard: 0 } }],
    },
    {
      path: '/kubepods/burstable',
      cpu: { timeMs: 7000, usageNanoseconds: 5_000_000_000n },
      memory: { timeMs: 7000, usageBytes: 10_240, workingSetBytes: 8192, residentBytes: 4096 },
    },
    {
      path: '/kubepods/besteffort',
      memory: { timeMs: 7000, usageBytes: 0, workingSetBytes: 0 },
    },
  ]);
  const throttling = { periods: 30, throttledPeriods: 20, throttledSeconds: 1.5 };
  expect(pods.get('u1')).toMatchObject({ throttling });
  expect(pods.get('u1')?.containers.get(ID)).toMatchObject({ throttling });
});

test('version 1: the same figures, from a tree for each controller', async () => {
  const { classes, pods } = await statsOf(1, SEPARATE);
  expect(classes).toEqual([
    {
      path: '/kubepods',
      cpu: { timeMs: 7000, usageNanoseconds: 5_000_000_000n },
      memory: { timeMs: 7000, usageBytes: 20_480, workingSetBytes: 18_432, residentBytes: 4096 },
    },
    { path: '/kubepods/burstable' },
    { path: '/kubepods/besteffort' },
  ]);
  const pod = pods.get('u1');
  expect(pod?.throttling).toEqual({ periods: 30, throttledPeriods: 20, throttledSeconds: 1.5 });
  // Without a quota nothing is throttled, whatever the kernel counts.
  expect(pod?.containers.get(ID)).toEqual({
    io: [
      {
        major: 253,
        minor: 0,
        bytes: { Read: 4096, Write: 0, Sync: 4096, Async: 0, Discard: 0, Total: 4096 },
      },
    ],
  });
});

test('they have the names and labels of cAdvisor', async () => {
  const lines = await metricsOf(await statsOf(2, UNIFIED));
  const of = (name: string): readonly string[] =>
    lines.filter((line) => line.startsWith(`${name}{`)).toSorted();
  const main = `container="main",id="/podu1/${ID}",image="i",name="${ID}",namespace="ns",pod="web"`;
  const sorted = (line: string): string =>
    line.replace(
      /\{(.*)\}/,
      (_all, labels: string) => `{${labels.split(',').toSorted().join(',')}}`,
    );
  expect(of('container_cpu_cfs_throttled_seconds_total').map(sorted)).toContain(
    `container_cpu_cfs_throttled_seconds_total{${main}} 1.5`,
  );
  expect(of('container_cpu_cfs_periods_total').length).toBe(2);
  expect(of('container_fs_reads_bytes_total').map(sorted)).toContain(
    sorted(`container_fs_reads_bytes_total{device="/dev/vd0",${main}} 4096`),
  );
  expect(of('container_blkio_device_usage_total').map(sorted)).toContain(
    sorted(
      `container_blkio_device_usage_total{device="/dev/vd0",major="253",minor="0",operation="Read",${main}} 4096`,
    ),
  );
  expect(of('container_memory_working_set_bytes').join('\n')).toContain('id="/kubepods/burstable"');
});

test('what the kernel does not count is absent', async () => {
  const lines = await metricsOf(await statsOf(1, {}));
  expect(lines.filter((line) => /^container_(cpu_cfs|fs_|blkio)/.test(line))).toEqual([]);
});
