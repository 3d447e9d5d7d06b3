/**
 * The metrics of desired and active pods, of pod workers, and of pods that housekeeping restarted or found as
 * orphans.
 *
 * As in Kubernetes' kubelet, a static pod has the label `static="true"`, any other pod `static=""`.
 */
import type { Summary } from '../../core/pod-worker/query.ts';
import type { Counter } from '../../lib/metrics/counter.ts';
import type { Family, LabelValues } from '../../lib/metrics/family.ts';
import type { Gauge } from '../../lib/metrics/gauge.ts';
import type { Registry } from '../../lib/metrics/registry.ts';
import type { Recorder } from './recorder.ts';

export interface PodCounts {
  readonly regular: number;
  readonly static: number;
}

export interface KnownPodCounts {
  /** The pods that podkeep should run. */
  readonly desired: PodCounts;
  /** The desired pods that count at the admission of a new pod. */
  readonly active: PodCounts;
  readonly mirrorPods: number;
}

type WorkingLabel = 'config' | 'lifecycle' | 'static';

const LIFECYCLES = ['sync', 'terminating', 'terminated'] as const;

/** All possible combinations. For a pod without a spec, it is unknown whether it was static. */
const ORIGINS = [
  { config: 'desired', static: '' },
  { config: 'desired', static: 'true' },
  { config: 'orphan', static: '' },
  { config: 'orphan', static: 'true' },
  { config: 'runtime_only', static: 'unknown' },
] as const;

export class HousekeepingMetrics {
  readonly #recorder: Recorder;
  readonly #desired: Family<Gauge, 'static'>;
  readonly #active: Family<Gauge, 'static'>;
  readonly #mirrorPods: Gauge;
  readonly #working: Family<Gauge, WorkingLabel>;
  readonly #restarted: Family<Counter, 'static'>;
  readonly #orphaned: Counter;

  constructor(registry: Registry, recorder: Recorder) {
    this.#recorder = recorder;
    this.#desired = registry.gauges({
      name: 'kubelet_desired_pods',
      help: '[ALPHA] The number of pods the kubelet is being instructed to run. static is true if the pod is not from the apiserver.',
      labels: ['static'],
    });
    this.#active = registry.gauges({
      name: 'kubelet_active_pods',
      help: '[ALPHA] The number of pods the kubelet considers active and which are being considered when admitting new pods. static is true if the pod is not from the apiserver.',
      labels: ['static'],
    });
    this.#mirrorPods = registry.gauge({
      name: 'kubelet_mirror_pods',
      help: '[ALPHA] The number of mirror pods the kubelet will try to create (one per admitted static pod)',
    });
    this.#working = registry.gauges({
      name: 'kubelet_working_pods',
      help: '[ALPHA] Number of pods the kubelet is actually running, broken down by lifecycle phase, whether the pod is desired, orphaned, or runtime only (also orphaned), and whether the pod is static. An orphaned pod has been removed from local configuration or force deleted in the API and consumes resources that are not otherwise visible.',
      labels: ['lifecycle', 'config', 'static'],
    });
    this.#restarted = registry.counters({
      name: 'kubelet_restarted_pods_total',
      help: '[ALPHA] Number of pods that have been restarted because they were deleted and recreated with the same UID while the kubelet was watching them (common for static pods, extremely uncommon for API pods)',
      labels: ['static'],
    });
    this.#orphaned = registry.counter({
      name: 'kubelet_orphaned_runtime_pods_total',
      help: '[ALPHA] Number of pods that have been detected in the container runtime without being already known to the pod worker. This typically indicates the kubelet was restarted while a pod was force deleted in the API or in the local configuration, which is unusual.',
    });
  }

  podsCounted({ desired, active, mirrorPods }: KnownPodCounts): void {
    this.#recorder.set(this.#desired.with({ static: '' }), desired.regular);
    this.#recorder.set(this.#desired.with({ static: 'true' }), desired.static);
    this.#recorder.set(this.#active.with({ static: '' }), active.regular);
    this.#recorder.set(this.#active.with({ static: 'true' }), active.static);
    this.#recorder.set(this.#mirrorPods, mirrorPods);
  }

  /** Pods that came back with the same UID and got a new worker. */
  podsRestarted({ regular, static: fromManifests }: PodCounts): void {
    this.#recorder.increase(this.#restarted.with({ static: '' }), regular);
    this.#recorder.increase(this.#restarted.with({ static: 'true' }), fromManifests);
  }

  /** Pods that run here without any source having reported them. */
  orphansFound(count: number): void {
    this.#recorder.increase(this.#orphaned, count);
  }

  /** Counts all workers (PW-66). Combinations without a worker are shown as zero. */
  workersCounted(workers: Iterable<Summary>): void {
    for (const lifecycle of LIFECYCLES) {
      for (const origin of ORIGINS) this.#working.with({ lifecycle, ...origin }).set(0);
    }
    for (const worker of workers) this.#working.with(labelsOf(worker)).add(1);
  }
}

/**
 * Every worker counts once. If a worker was created for a running pod without a spec, and that pod is desired
 * again by now, the worker still has no spec: the kubelet does not count it, and podkeep counts it as
 * runtime_only.
 */
function labelsOf(worker: Summary): LabelValues<WorkingLabel> {
  const lifecycle = worker.state;
  if (!worker.hasConfig) return { lifecycle, config: 'runtime_only', static: 'unknown' };
  const config = worker.orphan ? 'orphan' : 'desired';
  return { lifecycle, config, static: worker.static ? 'true' : '' };
}
