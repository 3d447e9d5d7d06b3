/**
 * What the panels of kubernetes-mixin's kubelet dashboard ask Prometheus: the title of each panel, and one
 * expression or more, of which one at least must have data.
 */

/** Selects the series of all kubelets of the cluster. */
const ALL = 'cluster="tests",job="kubelet"';
const WINDOW = '1m';

export interface Panel {
  readonly title: string;
  readonly expressions: readonly string[];
}

/** `instance` is the kubelet that the reader of the dashboard has chosen. */
export function kubeletPanels(instance: string): readonly Panel[] {
  const own = `${ALL},instance=~"${instance}"`;
  const sum = (metric: string, more = ''): string => `sum(${metric}{${own}${more}})`;
  const rate = (metric: string, by: string, more = ''): string =>
    `sum(rate(${metric}{${own}${more}}[${WINDOW}]))${by === '' ? '' : ` by (${by})`}`;
  const slowest = (metric: string, by: string): string =>
    `histogram_quantile(0.99, ${rate(`${metric}_bucket`, `${by}, le`)})`;
  const operation = 'instance, operation_type';
  const storage = 'instance, operation_name, volume_plugin';
  const panel = (title: string, ...expressions: readonly string[]): Panel => ({
    title,
    expressions,
  });
  return [
    panel('Running Kubelets', `sum(kubelet_node_name{${ALL}})`),
    panel('Running Pods', sum('kubelet_running_pods')),
    panel('Running Containers', sum('kubelet_running_containers')),
    panel(
      'Actual Volume Count',
      sum('volume_manager_total_volumes', ',state="actual_state_of_world"'),
    ),
    panel(
      'Desired Volume Count',
      sum('volume_manager_total_volumes', ',state="desired_state_of_world"'),
    ),
    panel('Config Error Count', rate('kubelet_node_config_error', '')),
    panel('Operation Rate', rate('kubelet_runtime_operations_total', operation)),
    panel('Operation Error Rate', rate('kubelet_runtime_operations_errors_total', operation)),
    panel(
      'Operation Duration 99th quantile',
      slowest('kubelet_runtime_operations_duration_seconds', operation),
    ),
    panel(
      'Pod Start Rate',
      rate('kubelet_pod_start_duration_seconds_count', 'instance'),
      rate('kubelet_pod_worker_duration_seconds_count', 'instance'),
    ),
    panel(
      'Pod Start Duration',
      slowest('kubelet_pod_start_duration_seconds', 'instance'),
      slowest('kubelet_pod_worker_duration_seconds', 'instance'),
    ),
    panel('Storage Operation Rate', rate('storage_operation_duration_seconds_count', storage)),
    panel('Storage Operation Error Rate', rate('storage_operation_errors_total', storage)),
    panel(
      'Storage Operation Duration 99th quantile',
      slowest('storage_operation_duration_seconds', storage),
    ),
    panel(
      'Cgroup manager operation rate',
      rate('kubelet_cgroup_manager_duration_seconds_count', operation),
    ),
    panel(
      'Cgroup manager 99th quantile',
      slowest('kubelet_cgroup_manager_duration_seconds', operation),
    ),
    panel('PLEG relist rate', rate('kubelet_pleg_relist_duration_seconds_count', 'instance')),
    panel('PLEG relist interval', slowest('kubelet_pleg_relist_interval_seconds', 'instance')),
    panel('PLEG relist duration', slowest('kubelet_pleg_relist_duration_seconds', 'instance')),
    panel(
      'RPC rate',
      ...['2', '3', '4', '5'].map((code) =>
        rate('rest_client_requests_total', '', `,code=~"${code}.."`),
      ),
    ),
    panel(
      'Request duration 99th quantile',
      slowest('rest_client_request_duration_seconds', 'instance, verb, url'),
    ),
    panel('Memory', `process_resident_memory_bytes{${own}}`),
    panel('CPU usage', `rate(process_cpu_seconds_total{${own}}[${WINDOW}])`),
    panel('Goroutines', `go_goroutines{${own}}`),
  ];
}
