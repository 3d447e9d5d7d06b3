/**
 * The metrics of the start-up time of pods, by four measures:
 *
 *     created ─────── seen ── worker ───────── Running ─── all containers known to run
 *                      ├───────┤ worker start
 *                      ├────────────────────────┤ start
 *        ├────────────────────────────────────────────────────────────────┤ total
 *        ├── without image pulls and init containers ─────────────────────┤ SLI
 */
import type { Gauge } from '../../lib/metrics/gauge.ts';
import type { Histogram } from '../../lib/metrics/histogram.ts';
import type { Registry } from '../../lib/metrics/registry.ts';
import type { Recorder } from './recorder.ts';

export interface ConfirmedStart {
  readonly totalSeconds: number;
  /** Null: the SLI does not cover the pod, because it waits for volumes (SM-132). */
  readonly sliSeconds: number | null;
  readonly hostNetwork: boolean;
}

const START_BUCKETS: readonly number[] = [
  0.5, 1, 2, 3, 4, 5, 6, 8, 10, 20, 30, 45, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800,
  2700, 3600,
];

export class PodStartMetrics {
  readonly #recorder: Recorder;
  readonly #workerStarts: Histogram;
  readonly #starts: Histogram;
  readonly #totals: Histogram;
  readonly #slis: Histogram;
  readonly #firstNetworkPod: Gauge;
  #networkPodSeen = false;

  constructor(registry: Registry, recorder: Recorder) {
    this.#recorder = recorder;
    this.#workerStarts = registry.histogram({
      name: 'kubelet_pod_worker_start_duration_seconds',
      help: '[ALPHA] Duration in seconds from kubelet seeing a pod to starting a worker.',
    });
    this.#starts = registry.histogram({
      name: 'kubelet_pod_start_duration_seconds',
      help: '[ALPHA] Duration in seconds from kubelet seeing a pod for the first time to the pod starting to run',
      buckets: START_BUCKETS,
    });
    this.#totals = registry.histogram({
      name: 'kubelet_pod_start_total_duration_seconds',
      help: '[ALPHA] Duration in seconds to start a pod since creation, including time to pull images and run init containers, measured from pod creation timestamp to when all its containers are reported as started and observed via watch',
      buckets: START_BUCKETS,
    });
    this.#slis = registry.histogram({
      name: 'kubelet_pod_start_sli_duration_seconds',
      help: '[ALPHA] Duration in seconds to start a pod, excluding time to pull images and run init containers, measured from pod creation timestamp to when all its containers are reported as started and observed via watch',
      buckets: START_BUCKETS,
    });
    this.#firstNetworkPod = registry.gauge({
      name: 'kubelet_first_network_pod_start_sli_duration_seconds',
      help: '[INTERNAL] Duration in seconds to start the first network pod, excluding time to pull images and run init containers, measured from pod creation timestamp to when all its containers are reported as started and observed via watch',
    });
  }

  /** The first sync of a pod starts, this long after the pod was first seen (KL-2). */
  workerStarted(seconds: number): void {
    this.#recorder.observe(this.#workerStarts, seconds);
  }

  /**
   * The pod went from Pending to Running, this long after it was first seen. Once for each pod; the kubelet
   * also counts pods here that have no status yet.
   */
  podBecameRunning(seconds: number): void {
    this.#recorder.observe(this.#starts, seconds);
  }

  /** The API has the status in which every container runs. Once for each pod (SM-132). */
  startConfirmed({ totalSeconds, sliSeconds, hostNetwork }: ConfirmedStart): void {
    this.#recorder.observe(this.#totals, totalSeconds);
    if (sliSeconds === null) return;
    this.#recorder.observe(this.#slis, sliSeconds);
    // The first pod with its own network waits for the setup of the node's network.
    if (hostNetwork || this.#networkPodSeen) return;
    this.#networkPodSeen = true;
    this.#recorder.set(this.#firstNetworkPod, sliSeconds);
  }
}
