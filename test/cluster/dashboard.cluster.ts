/**
 * The kubelet dashboard of kubernetes-mixin on a node of podkeep: after the same churn of pods, every panel
 * has data, and what both count is what Kubernetes' own kubelet counts, within 10 %.
 */
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { findFreePort } from '../e2e/support/free-port.ts';
import { waitFor } from '../e2e/support/patience.ts';
import { isReady } from '../e2e/support/pod-view.ts';
import { ClusterHarness } from './support/cluster-harness.ts';
import { kubeletPanels } from './support/kubelet-panels.ts';
import { Prometheus } from './support/prometheus.ts';
import { objectionToKubelet, RealKubelet } from './support/real-kubelet.ts';
import { pod } from './support/workloads.ts';

const OURS = 'ours';
const THEIRS = 'theirs';
const WAVES = 3;
const PODS = 5;
/** Two scrapes, on a busy machine. */
const SCRAPED_MS = 30_000;
const TEST_MS = 300_000;

/**
 * What does not depend on how often a kubelet looks: one for each pod, container or volume. The kubelet counts
 * each start of a pod twice. Mounts are left out: projected volumes are mounted again at each sync, and
 * how often a pod is synced is up to the kubelet.
 */
const COUNTED: readonly string[] = [
  'sum(kubelet_runtime_operations_total{operation_type="run_podsandbox",OWN})',
  'sum(kubelet_runtime_operations_total{operation_type="create_container",OWN})',
  'sum(kubelet_runtime_operations_total{operation_type="start_container",OWN})',
  'sum(kubelet_pod_worker_start_duration_seconds_count{OWN})',
  'sum(kubelet_pod_start_sli_duration_seconds_count{OWN})',
  'sum(volume_manager_total_volumes{state="desired_state_of_world",OWN})',
  'sum(volume_manager_total_volumes{state="actual_state_of_world",OWN})',
  'sum(kubelet_cgroup_manager_duration_seconds_count{operation_type="create",OWN})',
  'sum(kubelet_running_pods{OWN})',
];

const OBJECTION = objectionToKubelet();
if (OBJECTION !== null) console.log(`skipped: ${OBJECTION}`);

let port = 0;
class DashboardHarness extends ClusterHarness {
  override async join(name: string, config: JsonObject = {}) {
    port = await findFreePort();
    return super.join(name, { port, ...config });
  }
}

const harness = new DashboardHarness('dashboard', '1.6', OURS);

describe.skipIf(OBJECTION !== null)('the kubelet dashboard', () => {
  beforeAll(() => harness.start());
  afterAll(() => harness.remove());

  test(
    'every panel has data, and counters agree with the kubelet’s within 10 %',
    async () => {
      const theirPort = await findFreePort();
      const prometheus = await startPrometheus(theirPort);
      onTestFinished(() => prometheus.stop());
      const ours = await countsOfChurn(prometheus, OURS);
      const empty = await emptyPanels(prometheus, OURS);
      expect(empty).toEqual([]);
      await harness.kubectl('delete pods --all --grace-period=1');
      await harness.node.stop();

      await startKubelet(theirPort);
      const theirs = await countsOfChurn(prometheus, THEIRS);
      expect(Object.values(theirs).every((value) => value > 0)).toBe(true);
      for (const [name, value] of Object.entries(theirs)) {
        const own = ours[name] ?? 0;
        expect
          .soft(Math.abs(own - value), `${name}: ${own}, ${value}`)
          .toBeLessThanOrEqual(value / 10);
      }
    },
    TEST_MS,
  );
});

async function startPrometheus(theirPort: number): Promise<Prometheus> {
  const client = harness.plane.authority.issue('prometheus', {
    commonName: 'prometheus',
    organization: 'system:masters',
  });
  return Prometheus.start({
    folder: path.join(harness.folder, 'prometheus'),
    client,
    targets: { [OURS]: `127.0.0.1:${port}`, [THEIRS]: `127.0.0.1:${theirPort}` },
  });
}

async function startKubelet(theirPort: number): Promise<void> {
  const folder = path.join(harness.folder, 'kubelet');
  const { plane, containerd } = harness;
  const { cgroupRoot } = containerd;
  const podLogsDir = path.join(folder, 'logs');
  const config = { port: theirPort, cgroupRoot, podLogsDir, enforceNodeAllocatable: ['pods'] };
  const kubelet = await RealKubelet.start({ name: THEIRS, folder, plane, containerd, config });
  onTestFinished(() => kubelet.stop());
  await harness.nodeReady(THEIRS);
}

/** Pods with volumes that come and go; those of the last wave stay. */
async function churn(node: string): Promise<void> {
  const data = { key: 'value' };
  await harness.apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings' },
    data,
  });
  for (let wave = 0; wave < WAVES; wave += 1) {
    const names = Array.from({ length: PODS }, (_, index) => `${node}-${wave}-${index}`);
    await harness.apply(...names.map((name) => churnedPod(node, name)));
    await harness.podsWhen(
      'default',
      `wave ${wave} to be ready`,
      (pods) => pods.length === PODS && pods.every(isReady),
    );
    if (wave === WAVES - 1) return;
    await harness.kubectl(['delete', 'pods', '--grace-period=1', ...names]);
  }
}

function churnedPod(nodeName: string, name: string): JsonObject {
  const volumeMounts = [
    { name: 'scratch', mountPath: '/scratch' },
    { name: 'settings', mountPath: '/settings' },
  ];
  const volumes = [
    { name: 'scratch', emptyDir: {} },
    { name: 'settings', configMap: { name: 'settings' } },
  ];
  return pod({ name, container: { volumeMounts }, pod: { volumes, nodeName } });
}

/** Until Prometheus has two samples or more from after the churn. */
async function scraped(prometheus: Prometheus, instance: string): Promise<void> {
  const since = Date.now() / 1000;
  const expression = `count_over_time(up{instance="${instance}"}[1m]) and timestamp(up{instance="${instance}"} == 1) > ${since + 4}`;
  await waitFor({ what: `two scrapes of ${instance}`, deadlineMs: SCRAPED_MS }, async () => {
    const found = await prometheus.query(expression);
    return found.length > 0 ? true : undefined;
  });
}

async function emptyPanels(prometheus: Prometheus, instance: string): Promise<readonly string[]> {
  const empty: string[] = [];
  for (const { title, expressions } of kubeletPanels(instance)) {
    const found = await Promise.all(expressions.map((each) => prometheus.query(each)));
    // A quantile of nothing is NaN, and draws nothing.
    if (!found.flat().some(({ value }) => !Number.isNaN(value))) empty.push(title);
  }
  return empty;
}

/** What the churn added: at its start a kubelet creates control groups of its own. */
async function countsOfChurn(
  prometheus: Prometheus,
  instance: string,
): Promise<Readonly<Record<string, number>>> {
  await scraped(prometheus, instance);
  const before = await countsOf(prometheus, instance);
  await churn(instance);
  await scraped(prometheus, instance);
  const after = await countsOf(prometheus, instance);
  return Object.fromEntries(
    Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)]),
  );
}

async function countsOf(
  prometheus: Prometheus,
  instance: string,
): Promise<Readonly<Record<string, number>>> {
  const entries = await Promise.all(
    COUNTED.map(async (each) => {
      const [found] = await prometheus.query(each.replace('OWN', `instance="${instance}"`));
      return [each, found?.value ?? 0] as const;
    }),
  );
  return Object.fromEntries(entries);
}
