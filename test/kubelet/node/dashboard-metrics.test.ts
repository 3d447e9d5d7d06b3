/** The metrics that the kubelet dashboard of kubernetes-mixin reads, after a churn of pods. */
import { expect, test } from 'vitest';
import { prometheusText } from '../../../src/lib/metrics/exposition.ts';
import { at, openNode, podOf } from './node-test.ts';
import type { VirtualNode } from './virtual-node.ts';

const PODS = ['a', 'b', 'c', 'd'];
const WITH_VOLUMES = {
  containers: [
    { name: 'main', image: 'busy:1', volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] },
  ],
  volumes: [{ name: 'scratch', emptyDir: {} }],
};

async function churn(): Promise<VirtualNode> {
  const node = await openNode({ hasEvents: false });
  for (const name of PODS) await node.cluster.createPod(podOf(name, WITH_VOLUMES));
  await node.pass(20_000);
  for (const name of PODS.slice(0, 2)) await node.cluster.deletePod(at(name));
  await node.pass(60_000);
  return node;
}

/** The sum of all series of a metric whose labels contain the text. */
function valueOf(node: VirtualNode, metric: string, labels = ''): number | null {
  const lines = prometheusText.expose(node.metrics.registry).split('\n');
  const found = lines.filter((line) => {
    const [series = ''] = line.split(' ');
    return series.split('{')[0] === metric && series.includes(labels);
  });
  if (found.length === 0) return null;
  return found.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

test('runtime operations are counted as they happened', async () => {
  const node = await churn();
  const operation = (name: string) =>
    valueOf(node, 'kubelet_runtime_operations_total', `"${name}"`);
  expect(operation('run_podsandbox')).toBe(4);
  expect(operation('create_container')).toBe(4);
  expect(operation('start_container')).toBe(4);
  expect(operation('stop_container')).toBeGreaterThanOrEqual(2);
  expect(operation('remove_podsandbox')).toBeGreaterThanOrEqual(2);
  expect(operation('list_containers')).toBe(operation('list_podsandbox'));
  expect(valueOf(node, 'kubelet_runtime_operations_errors_total')).toBe(0);
  const counted = valueOf(node, 'kubelet_runtime_operations_duration_seconds_count');
  expect(counted).toBe(valueOf(node, 'kubelet_runtime_operations_total'));
  expect(valueOf(node, 'kubelet_run_podsandbox_duration_seconds_count')).toBe(4);
});

test('a failed runtime operation is counted as an error', async () => {
  let failures = 0;
  const node = await openNode({
    faults: (operation) => {
      if (operation !== 'runSandbox' || failures > 0) return undefined;
      failures += 1;
      return { error: 'no network' };
    },
  });
  await node.cluster.createPod(podOf('a'));
  await node.pass(60_000);
  const errors = valueOf(node, 'kubelet_runtime_operations_errors_total', '"run_podsandbox"');
  expect([errors, failures]).toEqual([1, 1]);
});

test('volumes and their operations are counted', async () => {
  const node = await churn();
  const operations = (labels: string) =>
    valueOf(node, 'storage_operation_duration_seconds_count', labels);
  expect(operations('operation_name="volume_mount",status="success"')).toBe(4);
  expect(valueOf(node, 'storage_operation_errors_total')).toBe(0);
});

test('starts are measured once for each pod (SM-130 to SM-132)', async () => {
  const node = await churn();
  expect(valueOf(node, 'kubelet_pod_start_duration_seconds_count')).toBe(4);
  expect(valueOf(node, 'kubelet_pod_start_total_duration_seconds_count')).toBe(4);
  expect(valueOf(node, 'kubelet_pod_start_sli_duration_seconds_count')).toBe(4);
  const total = valueOf(node, 'kubelet_pod_start_total_duration_seconds_sum');
  const sli = valueOf(node, 'kubelet_pod_start_sli_duration_seconds_sum') ?? 0;
  expect(sli).toBeLessThanOrEqual(total ?? 0);
});

test('PLEG and workers are measured', async () => {
  const node = await churn();
  const relists = valueOf(node, 'kubelet_pleg_relist_duration_seconds_count') ?? 0;
  // Every second, for 80 seconds.
  expect(relists).toBeGreaterThanOrEqual(75);
  expect(valueOf(node, 'kubelet_pleg_relist_interval_seconds_count')).toBe(relists - 1);
  expect(valueOf(node, 'kubelet_pleg_last_seen_seconds')).toBeGreaterThan(1_800_000_000);
  expect(valueOf(node, 'kubelet_pod_worker_duration_seconds_count')).toBeGreaterThanOrEqual(8);
});
