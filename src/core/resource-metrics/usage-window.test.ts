import { describe, expect, test } from 'vitest';
import { readResourceSamples, type ResourceSamples } from './resource-samples.ts';
import { advanceUsageWindow, nodeUsageOf, podUsageOf } from './usage-window.ts';

const RESOLUTION_MS = 15_000;
const START_SECONDS = 1_000;

function text(atSeconds: number, cpuSeconds: number, startSeconds = START_SECONDS): string {
  const labels = '{container="main",namespace="default",pod="web"}';
  const ms = atSeconds * 1000;
  return [
    '# HELP node_cpu_usage_seconds_total Cumulative cpu time.',
    `container_cpu_usage_seconds_total${labels} ${cpuSeconds} ${ms}`,
    `container_memory_working_set_bytes${labels} 2.097152e+06 ${ms}`,
    `container_start_time_seconds${labels} ${startSeconds}`,
    `node_cpu_usage_seconds_total ${cpuSeconds * 2} ${ms}`,
    `node_memory_working_set_bytes 1024 ${ms}`,
    'resource_scrape_error 0',
    '',
  ].join('\n');
}

const samplesAt = (...given: Parameters<typeof text>): ResourceSamples =>
  readResourceSamples(text(...given), 0);

function windowOf(...samples: readonly ResourceSamples[]) {
  let window: ReturnType<typeof advanceUsageWindow> | undefined;
  for (const each of samples) window = advanceUsageWindow(window, each, RESOLUTION_MS);
  return window;
}

describe('the text of a kubelet', () => {
  test('gives the figures of node and containers', () => {
    const { node, pods } = samplesAt(2000, 5);
    expect(node).toEqual({ timeMs: 2e6, startMs: null, cpuNanoseconds: 10e9, memoryBytes: 1024 });
    expect(pods.get('default/web')?.get('main')).toEqual({
      timeMs: 2e6,
      startMs: 1e6,
      cpuNanoseconds: 5e9,
      memoryBytes: 2_097_152,
    });
  });

  test('leaves a pod out if a figure of a container is missing or zero', () => {
    const other =
      'container_cpu_usage_seconds_total{container="b",namespace="default",pod="web"} 1';
    expect(readResourceSamples(`${text(2000, 5)}${other}\n`, 0).pods.size).toBe(0);
    expect(samplesAt(2000, 0)).toEqual({ node: null, pods: new Map() });
  });

  test('may contain lines that are not understood', () => {
    const strange =
      'container_cpu_usage_seconds_total{pod="x"} 1\nnode_cpu_usage_seconds_total NaN\n{';
    expect(readResourceSamples(strange, 0)).toEqual({ node: null, pods: new Map() });
  });
});

describe('the window', () => {
  test('is that between the last two samples', () => {
    const window = windowOf(samplesAt(2000, 5), samplesAt(2010, 6), samplesAt(2025, 10.5));
    const expected = {
      timeMs: 2_025_000,
      windowMs: 15_000,
      nanoCores: 3e8,
      memoryBytes: 2_097_152,
    };
    expect(podUsageOf(window, 'default/web')?.get('main')).toEqual(expected);
    expect(nodeUsageOf(window)).toEqual({ ...expected, nanoCores: 6e8, memoryBytes: 1024 });
  });

  test('needs two samples', () => {
    const window = windowOf(samplesAt(2000, 5));
    expect(nodeUsageOf(window)).toBeNull();
    expect(podUsageOf(window, 'default/web')).toBeNull();
    expect(podUsageOf(undefined, 'default/web')).toBeNull();
  });

  test('begins with the start of a container that is 10 to 15 s old', () => {
    const at = (age: number) =>
      podUsageOf(windowOf(samplesAt(START_SECONDS + age, 3)), 'default/web')?.get('main');
    expect(at(10)).toMatchObject({ windowMs: 10_000, nanoCores: 3e8 });
    expect(at(9.9)).toBeUndefined();
    expect(at(15)).toBeUndefined();
  });

  test('does not span a restart', () => {
    const window = windowOf(samplesAt(2000, 500), samplesAt(2015, 1, 2008));
    expect(podUsageOf(window, 'default/web')).toBeNull();
    const next = advanceUsageWindow(window, samplesAt(2030, 4, 2008), RESOLUTION_MS);
    expect(podUsageOf(next, 'default/web')?.get('main')).toMatchObject({ nanoCores: 2e8 });
  });

  test('stays if the kubelet answers with the same sample again', () => {
    const window = windowOf(samplesAt(2000, 5), samplesAt(2015, 8), samplesAt(2015, 8));
    expect(nodeUsageOf(window)).toMatchObject({ windowMs: 15_000, nanoCores: 4e8 });
  });

  test('has no figure if the CPU time went backwards', () => {
    expect(nodeUsageOf(windowOf(samplesAt(2000, 5), samplesAt(2015, 4)))).toBeNull();
  });
});
