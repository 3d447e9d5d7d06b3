/**
 * The metrics of the engine, under the names that the kubelet of Kubernetes v1.36 gives them.
 *
 * Names, types, labels, buckets and help texts are an interface: dashboards and alerts are written
 * against them, so they carry over as they are. Each part of podkeep is handed only the observer that
 * concerns it; whoever serves `/metrics` writes out the registry.
 */
import { Registry } from '../../lib/metrics/registry.ts';
import { AdmissionMetrics } from './admission-metrics.ts';
import { EvictionMetrics } from './eviction-metrics.ts';
import { HousekeepingMetrics } from './housekeeping-metrics.ts';
import { PodStartMetrics } from './pod-start-metrics.ts';
import { PodWorkerMetrics } from './pod-worker-metrics.ts';
import { Recorder } from './recorder.ts';
import { ResizeMetrics } from './resize-metrics.ts';
import { StatusMetrics } from './status-metrics.ts';

export class KubeletMetrics {
  readonly registry: Registry;
  readonly podWorkers: PodWorkerMetrics;
  readonly podStarts: PodStartMetrics;
  readonly status: StatusMetrics;
  readonly resizes: ResizeMetrics;
  readonly admission: AdmissionMetrics;
  readonly evictions: EvictionMetrics;
  readonly housekeeping: HousekeepingMetrics;

  constructor() {
    const registry = new Registry();
    const recorder = new Recorder(registry);
    this.registry = registry;
    this.podWorkers = new PodWorkerMetrics(registry, recorder);
    this.podStarts = new PodStartMetrics(registry, recorder);
    this.status = new StatusMetrics(registry, recorder);
    this.resizes = new ResizeMetrics(registry, recorder);
    this.admission = new AdmissionMetrics(registry);
    this.evictions = new EvictionMetrics(registry);
    this.housekeeping = new HousekeepingMetrics(registry, recorder);
  }
}
