import { expect, test } from 'vitest';
import { prometheusText } from '../../lib/metrics/exposition.ts';
import { KubeletMetrics } from './kubelet-metrics.ts';
import recorded from './recorded-metrics.json' with { type: 'json' };

interface Declared {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly buckets?: readonly string[];
}

const DEFAULT = '0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10 +Inf'.split(' ');

/** What the kubelet dashboard of kubernetes-mixin reads, beside the above: from Kubernetes' source. */
const PANELS: readonly Declared[] = [
  {
    name: 'kubelet_cgroup_manager_duration_seconds',
    type: 'histogram',
    help: '[ALPHA] Duration in seconds for cgroup manager operations. Broken down by method.',
    labels: ['operation_type'],
    buckets: DEFAULT,
  },
  {
    name: 'kubelet_pleg_last_seen_seconds',
    type: 'gauge',
    help: '[ALPHA] Timestamp in seconds when PLEG was last seen active.',
    labels: [],
  },
  {
    name: 'kubelet_pleg_pod_relist_duration_seconds',
    type: 'histogram',
    help: '[ALPHA] Duration in seconds for relisting a single pod in PLEG.',
    labels: [],
    buckets: DEFAULT,
  },
  {
    name: 'kubelet_pleg_relist_duration_seconds',
    type: 'histogram',
    help: '[ALPHA] Duration in seconds for relisting pods in PLEG.',
    labels: [],
    buckets: DEFAULT,
  },
  {
    name: 'kubelet_pleg_relist_interval_seconds',
    type: 'histogram',
    help: '[ALPHA] Interval in seconds between relisting in PLEG.',
    labels: [],
    buckets: DEFAULT,
  },
  {
    name: 'kubelet_run_podsandbox_duration_seconds',
    type: 'histogram',
    help: '[ALPHA] Duration in seconds of the run_podsandbox operations. Broken down by RuntimeClass.Handler.',
    labels: ['runtime_handler'],
    buckets: DEFAULT,
  },
  {
    name: 'kubelet_run_podsandbox_errors_total',
    type: 'counter',
    help: '[ALPHA] Cumulative number of the run_podsandbox operation errors by RuntimeClass.Handler.',
    labels: ['runtime_handler'],
  },
  {
    name: 'kubelet_runtime_operations_duration_seconds',
    type: 'histogram',
    help: '[ALPHA] Duration in seconds of runtime operations. Broken down by operation type.',
    labels: ['operation_type'],
    buckets:
      '0.005 0.0125 0.03125 0.078125 0.1953125 0.48828125 1.220703125 3.0517578125 7.62939453125 19.073486328125 47.6837158203125 119.20928955078125 298.0232238769531 745.0580596923828 +Inf'.split(
        ' ',
      ),
  },
  {
    name: 'kubelet_runtime_operations_errors_total',
    type: 'counter',
    help: '[ALPHA] Cumulative number of runtime operation errors by operation type.',
    labels: ['operation_type'],
  },
  {
    name: 'kubelet_runtime_operations_total',
    type: 'counter',
    help: '[ALPHA] Cumulative number of runtime operations by operation type.',
    labels: ['operation_type'],
  },
  {
    name: 'rest_client_request_duration_seconds',
    type: 'histogram',
    help: '[ALPHA] Request latency in seconds. Broken down by verb, and host.',
    labels: ['host', 'verb'],
    buckets: '0.005 0.025 0.1 0.25 0.5 1 2 4 8 15 30 60 +Inf'.split(' '),
  },
  {
    name: 'rest_client_requests_total',
    type: 'counter',
    help: '[ALPHA] Number of HTTP requests, partitioned by status code, method, and host.',
    labels: ['code', 'host', 'method'],
  },
  {
    name: 'storage_operation_duration_seconds',
    type: 'histogram',
    help: '[ALPHA] Storage operation duration',
    labels: ['migrated', 'operation_name', 'status', 'volume_plugin'],
    buckets: '0.1 0.25 0.5 1 2.5 5 10 15 25 50 120 300 600 +Inf'.split(' '),
  },
  {
    name: 'storage_operation_errors_total',
    type: 'counter',
    help: '[ALPHA] Storage operation errors',
    labels: ['operation_name', 'volume_plugin'],
  },
  {
    name: 'volume_manager_total_volumes',
    type: 'gauge',
    help: '[ALPHA] Number of volumes in Volume Manager',
    labels: ['plugin_name', 'state'],
  },
];

/** Metrics that the kubelet registers as well, but shows only after their first event: from its source. */
const UNSEEN: readonly Declared[] = [
  {
    name: 'kubelet_admission_rejections_total',
    type: 'counter',
    help: '[ALPHA] Cumulative number pod admission rejections by the Kubelet.',
    labels: ['reason'],
  },
  {
    name: 'kubelet_container_requested_resizes_total',
    type: 'counter',
    help: "[ALPHA] Number of requested resizes, counted at the container level. Different resources on the same container are counted separately. The 'requirement' label refers to 'memory' or 'limits'; the 'operation' label can be one of 'add', 'remove', 'increase' or 'decrease'.",
    labels: ['operation', 'requirement', 'resource'],
  },
  {
    name: 'kubelet_eviction_stats_age_seconds',
    type: 'histogram',
    help: '[ALPHA] Time between when stats are collected, and when pod is evicted based on those stats by eviction signal',
    labels: ['eviction_signal'],
    buckets: '0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10 +Inf'.split(' '),
  },
  {
    name: 'kubelet_graceful_shutdown_end_time_seconds',
    type: 'gauge',
    help: '[ALPHA] Last graceful shutdown end time since unix epoch in seconds',
    labels: [],
  },
  {
    name: 'kubelet_graceful_shutdown_start_time_seconds',
    type: 'gauge',
    help: '[ALPHA] Last graceful shutdown start time since unix epoch in seconds',
    labels: [],
  },
  {
    name: 'kubelet_evictions',
    type: 'counter',
    help: '[ALPHA] Cumulative number of pod evictions by eviction signal',
    labels: ['eviction_signal'],
  },
  {
    name: 'kubelet_pod_deferred_accepted_resizes_total',
    type: 'counter',
    help: '[ALPHA] Cumulative number of resizes that were accepted after being deferred.',
    labels: ['retry_trigger'],
  },
  {
    name: 'kubelet_pod_infeasible_resizes_total',
    type: 'counter',
    help: '[ALPHA] Number of infeasible resizes for pods.',
    labels: ['reason_detail'],
  },
  {
    name: 'kubelet_pod_pending_resizes',
    type: 'gauge',
    help: '[ALPHA] Number of pending resizes for pods.',
    labels: ['reason'],
  },
  {
    name: 'kubelet_pod_resize_duration_milliseconds',
    type: 'histogram',
    help: '[ALPHA] Duration in milliseconds to actuate a pod resize',
    labels: ['success'],
    buckets: '10 50 100 500 1000 2000 5000 10000 20000 30000 60000 120000 300000 600000 +Inf'.split(
      ' ',
    ),
  },
  {
    name: 'kubelet_terminated_containers_total',
    type: 'counter',
    help: '[ALPHA] Cumulative number of container terminations.',
    labels: ['container_type', 'exit_code', 'reason'],
  },
  ...PANELS,
];

/** Lets everything happen once, so that every metric is shown. */
function afterOneOfEach(): KubeletMetrics {
  const metrics = new KubeletMetrics();
  const { podWorkers, podStarts, status, resizes, admission, evictions, housekeeping } = metrics;
  metrics.runtime.operationEnded('run_podsandbox', 0.1, true);
  metrics.runtime.sandboxRan('', 0.1, true);
  metrics.pleg.relistBegan(1, 1);
  metrics.pleg.relistEnded(0.1);
  metrics.pleg.podRelisted(0.1);
  metrics.storage.operationEnded('kubernetes.io/secret', 'volume_mount', 0.1, true);
  metrics.storage.volumesCounted(new Map([['kubernetes.io/secret', { desired: 1, actual: 1 }]]));
  metrics.cgroups.operationEnded('create', 0.1);
  metrics.restClient.answered('host', 'GET', 200, 0.1);
  podWorkers.podStarted(1);
  podWorkers.turnEnded('create', 0.1);
  podWorkers.wakeScheduled();
  podStarts.workerStarted(0.1);
  podStarts.podBecameRunning(1);
  podStarts.startConfirmed({ totalSeconds: 1, sliSeconds: 1, hostNetwork: false });
  status.statusWritten(0.1);
  status.containerTerminated('container', 0, 'Completed');
  status.resizesChanged({ pendingByReason: { deferred: 1, infeasible: 0 }, inProgress: 1 });
  resizes.resizeRequested({ resource: 'cpu', requirement: 'limits', operation: 'add' });
  resizes.resizeEnded(true, 1);
  resizes.resizeRefused('swap_limitation');
  resizes.deferredResizeAccepted('pods_removed');
  admission.podRejected('OutOfcpu');
  evictions.podEvicted('emptydirfs.limit');
  evictions.statsUsed('memory.available', 0.1);
  const none = { regular: 0, static: 0 };
  housekeeping.podsCounted({ desired: none, active: none, mirrorPods: 0 });
  housekeeping.podsRestarted(none);
  housekeeping.orphansFound(0);
  housekeeping.workersCounted([]);
  return metrics;
}

/** Reads the declarations back from the text, as a scraper would. */
function declaredIn(text: string): readonly Declared[] {
  const families: Declared[] = [];
  for (const block of text.split(/^(?=# HELP )/m)) {
    const [, name = '', help = ''] = /^# HELP (\S+) (.*)$/m.exec(block) ?? [];
    const [, type = ''] = /^# TYPE \S+ (\S+)$/m.exec(block) ?? [];
    const labels = new Set([...block.matchAll(/[{,](\w+)="/g)].map(([, label = '']) => label));
    const buckets = new Set([...block.matchAll(/[{,]le="([^"]*)"/g)].map(([, le = '']) => le));
    labels.delete('le');
    const base = { name, type, help, labels: [...labels] };
    families.push(buckets.size > 0 ? { ...base, buckets: [...buckets] } : base);
  }
  return families;
}

test('names, types, labels, buckets and help texts are those of the kubelet v1.36', () => {
  const shown = declaredIn(prometheusText.expose(afterOneOfEach().registry));
  const own = shown.filter(({ name }) => name.startsWith('podkeep_'));
  const expected: readonly Declared[] = [...recorded, ...UNSEEN];
  expect(shown.filter((each) => !own.includes(each))).toEqual(
    expected.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  );
  expect(own.map(({ name }) => name)).toEqual(['podkeep_dropped_observations_total']);
});

test('before anything happened, only what has no labels is shown, as zero', () => {
  const text = prometheusText.expose(new KubeletMetrics().registry);
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.filter((line) => !/^\w+(\{le="[^"]+"\})? 0$/.test(line))).toEqual([]);
});

test('two kubelets in one process have separate metrics', () => {
  const [first, second] = [new KubeletMetrics(), new KubeletMetrics()];
  first.housekeeping.orphansFound(3);
  expect(prometheusText.expose(first.registry)).toContain('kubelet_orphaned_runtime_pods_total 3');
  expect(prometheusText.expose(second.registry)).toContain('kubelet_orphaned_runtime_pods_total 0');
});
