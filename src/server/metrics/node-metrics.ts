/**
 * Metrics of /metrics about this node that are computed at each scrape, such as the number of running pods.
 */
import type { Pod } from '../../api/pod.ts';
import type { Family } from '../../lib/metrics/family.ts';
import type { Gauge } from '../../lib/metrics/gauge.ts';
import type { Registry } from '../../lib/metrics/registry.ts';
import type { Log } from '../../ports/log.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';

/** podkeep's version in the fields of Kubernetes' build info; the fields about Go describe Node.js. */
export interface BuildInfo {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

export interface NodeMetricsOptions {
  readonly registry: Registry;
  readonly nodeName: string;
  readonly build: BuildInfo;
  readonly log: Log;
  readonly runtime: Pick<PodRuntime, 'list' | 'containerStats'>;
  pods(): readonly Pod[];
  /** Called at each scrape, to refresh metrics that are counted on demand. */
  readonly refreshCounts?: (() => void) | undefined;
}

export class NodeMetrics {
  readonly #options: NodeMetricsOptions;
  readonly #pods: Gauge;
  readonly #containers: Family<Gauge, 'container_state'>;
  readonly #ephemeral: Gauge;

  constructor(options: NodeMetricsOptions) {
    const { registry, nodeName } = options;
    this.#options = options;
    this.#pods = registry.gauge({
      name: 'kubelet_running_pods',
      help: '[ALPHA] Number of pods that have a running pod sandbox',
    });
    this.#containers = registry.gauges({
      name: 'kubelet_running_containers',
      help: '[ALPHA] Number of containers currently running',
      labels: ['container_state'],
    });
    this.#ephemeral = registry.gauge({
      name: 'kubelet_managed_ephemeral_containers',
      help: '[ALPHA] Current number of ephemeral containers in pods managed by this kubelet.',
    });
    registry
      .gauges({
        name: 'kubelet_node_name',
        help: "[ALPHA] The node's name. The count is always 1.",
        labels: ['node'],
      })
      .with({ node: nodeName })
      .set(1);
    registry
      .gauges({
        name: 'kubelet_metrics_provider',
        help: "[ALPHA] Metrics provider used by kubelet to collect container stats. Values can be 'cadvisor' and 'cri'",
        labels: ['provider'],
      })
      .with({ provider: 'cri' })
      .set(1);
    // The kubelet has removed this metric, but dashboards read it. It is always 0: podkeep does not start
    // with an invalid configuration.
    registry.gauge({
      name: 'kubelet_node_config_error',
      help: '[ALPHA] This metric is true (1) if the node is experiencing a configuration-related error, false (0) otherwise.',
    });
    addBuildInfo(registry, options.build);
  }

  /** Never rejects: a metric that cannot be computed keeps its last value. */
  async refresh(): Promise<void> {
    const { runtime, log } = this.#options;
    this.#options.refreshCounts?.();
    const pods = this.#options.pods();
    const ephemeral = pods.map(({ spec }) => spec.ephemeralContainers?.length ?? 0);
    this.#ephemeral.set(ephemeral.reduce((sum, count) => sum + count, 0));
    try {
      const entries = await runtime.list();
      const ready = entries.filter(({ pod }) => pod.sandboxes.some((each) => each.ready));
      this.#pods.set(ready.length);
      this.#containers.reset();
      for (const { state } of entries.flatMap(({ pod }) => pod.containers)) {
        this.#containers.with({ container_state: state }).add(1);
      }
    } catch (error) {
      log.warn('Failed to count running pods', { error });
    }
  }
}

function addBuildInfo(registry: Registry, build: BuildInfo): void {
  const family = registry.gauges({
    name: 'kubernetes_build_info',
    help: "[BETA] A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, build date, Go version, and compiler from which Kubernetes was built, and platform on which it is running.",
    labels: [
      ...(['build_date', 'compiler', 'git_commit', 'git_tree_state', 'git_version'] as const),
      ...(['go_version', 'major', 'minor', 'platform'] as const),
    ],
  });
  family
    .with({
      major: build.major,
      minor: build.minor,
      git_version: build.gitVersion,
      git_commit: build.gitCommit,
      git_tree_state: build.gitTreeState,
      build_date: build.buildDate,
      go_version: build.goVersion,
      compiler: build.compiler,
      platform: build.platform,
    })
    .set(1);
}
