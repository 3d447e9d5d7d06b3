import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import recorded from './recorded-endpoints.json' with { type: 'json' };
import { bodyOf, headerOf, kubeletHarness, startPod } from './kubelet-server-harness.ts';

interface Declared {
  readonly name: string;
  readonly type: string;
  readonly help: string;
}

/** Metrics of podkeep alone, served as the kubelet serves its own. */
const OWN = /^(podkeep_|process_|go_goroutines$)/;
/** In the kubelet's source, but not in the recording. */
const UNSEEN: ReadonlySet<string> = new Set(['kubelet_http_requests_duration_seconds']);

function declaredIn(text: string): readonly Declared[] {
  const heads = text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (.*)$/gm);
  return Array.from(heads, ([, name = '', help = '', type = '']) => ({ name, help, type }));
}

function labelsIn(text: string, name: string): readonly string[] {
  const line = new RegExp(`^${name}(?:_bucket)?\\{(.*)\\}`, 'm').exec(text)?.[1] ?? '';
  return Array.from(line.matchAll(/(\w+)="/g), ([, label = '']) => label)
    .filter((label) => label !== 'le')
    .toSorted();
}

/** 50 % of a core for each pod. */
function withStats() {
  const harness: ReturnType<typeof kubeletHarness> = kubeletHarness({
    stats: {
      containerStats: async () => {
        const timeMs = harness.clock.now();
        const usageNanoseconds = BigInt(harness.clock.monotonic()) * 500_000n;
        const listed = await harness.runtime.list();
        return listed.flatMap(({ uid, pod }) =>
          pod.containers.map(({ id, name }) => ({
            id,
            name,
            podUid: uid,
            cpu: { timeMs, usageNanoseconds },
            memory: { timeMs, workingSetBytes: 688_128, residentBytes: 500_000, pageFaults: 3 },
            writableBytes: 4096,
          })),
        );
      },
    },
  });
  return harness;
}

/** Not in the kubelet any more, but dashboards read it (docs/kubelet-server.md). */
const REMOVED: ReadonlySet<string> = new Set(['kubelet_node_config_error']);

describe('/metrics', () => {
  test('has the kubelet’s names, types, help and labels', async () => {
    const harness = kubeletHarness();
    await startPod(harness, 'web');
    await harness.ask('/pods');
    const answer = await harness.ask('/metrics');
    expect(headerOf(answer, 'content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await bodyOf(answer);
    const known = new Map(recorded.metrics.map((metric) => [metric.name, metric]));
    const served = declaredIn(text).filter(
      ({ name }) => !OWN.test(name) && !UNSEEN.has(name) && !REMOVED.has(name),
    );
    for (const { name, type, help } of served) {
      const labels = labelsIn(text, name);
      expect({ name, type, help, labels }).toEqual(known.get(name));
    }
    for (const name of ['kubelet_running_pods', 'kubernetes_build_info', 'kubelet_node_name']) {
      expect(served.map((each) => each.name)).toContain(name);
    }
    expect(text).toMatch(/^kubelet_node_config_error 0$/m);
    expect(text).toMatch(/^go_goroutines [1-9]\d*$/m);
    expect(text).toMatch(/^podkeep_node_saturation\{resource="memory"\} [\d.]+$/m);
  });

  test('counts pods, containers and requests', async () => {
    const harness = kubeletHarness();
    await startPod(harness, 'web');
    await startPod(harness, 'db');
    await harness.ask('/nowhere');
    const lines = (await bodyOf(await harness.ask('/metrics'))).split('\n');
    const labels = 'long_running="false",method="GET",path="other",server_type="readwrite"';
    expect(lines).toEqual(
      expect.arrayContaining([
        'kubelet_running_pods 2',
        'kubelet_running_containers{container_state="running"} 2',
        'kubelet_node_name{node="node1"} 1',
        'kubelet_managed_ephemeral_containers 0',
        `kubelet_http_requests_total{${labels}} 1`,
        'process_start_time_seconds 1.893553445e+09',
      ]),
    );
  });
});

test('/metrics/probes has what the kubelet shows there', async () => {
  const { ask, probes } = kubeletHarness();
  const pod = { uid: 'u', name: 'm1', namespace: 'default' };
  probes.probed({ pod, container: 'main', kind: 'readiness' }, 'success', 0.04);
  const declared = declaredIn(await bodyOf(await ask('/metrics/probes')));
  expect(declared).toEqual(recorded['metrics/probes']);
});

describe('/metrics/resource', () => {
  test('has the kubelet’s names, types and help, except for the swap of containers', async () => {
    const harness = withStats();
    await startPod(harness, 'm1');
    const text = await bodyOf(await harness.ask('/metrics/resource'));
    const isSwap = ({ name }: Declared): boolean => /^(container|pod)_swap_/.test(name);
    expect(declaredIn(text)).toEqual(recorded['metrics/resource'].filter((one) => !isSwap(one)));
  });

  test('has the numbers with their times', async () => {
    const harness = withStats();
    await harness.clock.pass(10_000);
    await startPod(harness, 'm1');
    const lines = (await bodyOf(await harness.ask('/metrics/resource'))).split('\n');
    const at = harness.clock.now();
    expect(lines).toEqual(
      expect.arrayContaining([
        `container_cpu_usage_seconds_total{container="main",namespace="default",pod="m1"} 5 ${at}`,
        `container_memory_working_set_bytes{container="main",namespace="default",pod="m1"} 688128 ${at}`,
        'container_start_time_seconds{container="main",namespace="default",pod="m1"} 1.893553455e+09',
        `pod_cpu_usage_seconds_total{namespace="default",pod="m1"} 5 ${at}`,
        'resource_scrape_error 0',
        'scrape_error 0',
      ]),
    );
  });

  test('reports when the runtime does not answer', async () => {
    const harness = kubeletHarness({
      stats: { containerStats: () => Promise.reject(new Error('away')) },
    });
    const text = await bodyOf(await harness.ask('/metrics/resource'));
    expect(text).toContain('\nresource_scrape_error 1\n');
    expect(text).not.toContain('node_cpu');
    const summary = await harness.ask('/stats/summary');
    expect([summary.status, await bodyOf(summary)]).toEqual([500, 'Internal Error: away']);
  });
});

test('/metrics/cadvisor has containers, and their pod without the name of a container', async () => {
  const harness = withStats();
  await startPod(harness, 'm1');
  const text = await bodyOf(await harness.ask('/metrics/cadvisor'));
  expect(text).toMatch(
    /^container_memory_rss\{container="main",id="\/podm1\/main-2",image="app:1",name="main-2",namespace="default",pod="m1"\} 500000 \d+$/m,
  );
  expect(text).toMatch(
    /^container_cpu_usage_seconds_total\{container="",cpu="total",.*pod="m1"\}/m,
  );
  expect(text).toMatch(/^machine_cpu_cores \d+$/m);
});

describe('/stats/summary', () => {
  test('has node and pods, and rates from the second request on', async () => {
    const harness = withStats();
    await startPod(harness, 'm1');
    const volume = path.join(harness.rootFolder, 'pods/m1/volumes/kubernetes.io~empty-dir/cache');
    await mkdir(volume, { recursive: true });
    await writeFile(path.join(volume, 'data'), 'x'.repeat(100_000));
    const read = async (query = '') =>
      JSON.parse(await bodyOf(await harness.ask(`/stats/summary${query}`)));
    const first = await read();
    expect(first.node).toMatchObject({ nodeName: 'node1', cpu: {}, memory: {}, fs: {} });
    expect(first.pods[0].containers[0].cpu).not.toHaveProperty('usageNanoCores');
    await harness.clock.pass(10_000);
    const { pods } = await read();
    expect(pods).toMatchObject([
      {
        podRef: { name: 'm1', namespace: 'default', uid: 'm1' },
        startTime: '2030-01-02T03:04:05Z',
        containers: [
          {
            name: 'main',
            startTime: '2030-01-02T03:04:05Z',
            cpu: {
              time: '2030-01-02T03:04:15Z',
              usageNanoCores: 500_000_000,
              usageCoreNanoSeconds: 5_000_000_000,
            },
            memory: { workingSetBytes: 688_128, rssBytes: 500_000, pageFaults: 3 },
            rootfs: { usedBytes: 4096 },
          },
        ],
        cpu: { usageNanoCores: 500_000_000 },
        memory: { workingSetBytes: 688_128 },
        volume: [{ name: 'cache' }],
      },
    ]);
    expect(pods[0].volume[0].usedBytes).toBeGreaterThanOrEqual(100_000);
    expect(pods[0]['ephemeral-storage'].usedBytes).toBeGreaterThanOrEqual(104_096);
  });

  test('is short for a client that asks for CPU and memory only', async () => {
    const harness = withStats();
    await startPod(harness, 'm1');
    const answer = await harness.ask('/stats/summary?only_cpu_and_memory=true');
    const { node, pods } = JSON.parse(await bodyOf(answer));
    expect(Object.keys(node).toSorted()).toEqual([
      'cpu',
      'memory',
      'nodeName',
      'startTime',
      'swap',
    ]);
    expect(Object.keys(pods[0]).toSorted()).toEqual([
      ...['containers', 'cpu', 'memory', 'podRef', 'startTime'],
    ]);
  });
});
