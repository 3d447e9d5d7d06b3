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

/** What the kubelet registers as well, but shows only after it happened: from its source. */
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
];

/** Lets everything happen once, so that every metric is shown. */
function afterOneOfEach(): KubeletMetrics {
  const metrics = new KubeletMetrics();
  const { podWorkers, podStarts, status, resizes, admission, evictions, housekeeping } = metrics;
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

test('two kubelets in one process have metrics of their own', () => {
  const [first, second] = [new KubeletMetrics(), new KubeletMetrics()];
  first.housekeeping.orphansFound(3);
  expect(prometheusText.expose(first.registry)).toContain('kubelet_orphaned_runtime_pods_total 3');
  expect(prometheusText.expose(second.registry)).toContain('kubelet_orphaned_runtime_pods_total 0');
});
