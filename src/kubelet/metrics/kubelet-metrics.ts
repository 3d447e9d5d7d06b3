/**
 * All metrics of podkeep's kubelet, under the names of Kubernetes' kubelet v1.36.
 *
 * Names, types, labels, buckets and help texts are an interface: dashboards and alerts depend on them, so
 * they are the same as in Kubernetes. Each part of podkeep gets only its own observer; the server of
 * `/metrics` prints the registry.
 */
import { Registry } from '../../lib/metrics/registry.ts';
import type { AllocationObserver } from '../../ports/observe/allocation-observer.ts';
import { AdmissionMetrics } from './admission-metrics.ts';
import { CgroupMetrics } from './cgroup-metrics.ts';
import { EvictionMetrics } from './eviction-metrics.ts';
import { HousekeepingMetrics } from './housekeeping-metrics.ts';
import { PlegMetrics } from './pleg-metrics.ts';
import { NodeShutdownMetrics } from './node-shutdown-metrics.ts';
import { PodStartMetrics } from './pod-start-metrics.ts';
import { PodWorkerMetrics } from './pod-worker-metrics.ts';
import { Recorder } from './recorder.ts';
import { ResizeMetrics } from './resize-metrics.ts';
import { RestClientMetrics } from './rest-client-metrics.ts';
import { RuntimeMetrics } from './runtime-metrics.ts';
import { StatusMetrics } from './status-metrics.ts';
import { StorageMetrics } from './storage-metrics.ts';

export class KubeletMetrics {
  readonly registry: Registry;
  readonly podWorkers: PodWorkerMetrics;
  readonly podStarts: PodStartMetrics;
  readonly status: StatusMetrics;
  readonly resizes: ResizeMetrics;
  readonly admission: AdmissionMetrics;
  readonly evictions: EvictionMetrics;
  readonly housekeeping: HousekeepingMetrics;
  readonly runtime: RuntimeMetrics;
  readonly pleg: PlegMetrics;
  readonly storage: StorageMetrics;
  readonly cgroups: CgroupMetrics;
  readonly restClient: RestClientMetrics;
  readonly shutdown: NodeShutdownMetrics;

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
    this.runtime = new RuntimeMetrics(registry, recorder);
    this.pleg = new PlegMetrics(registry, recorder);
    this.storage = new StorageMetrics(registry, recorder);
    this.cgroups = new CgroupMetrics(registry, recorder);
    this.restClient = new RestClientMetrics(registry, recorder);
    this.shutdown = new NodeShutdownMetrics(registry);
  }

  /** The observer of the allocation manager, which both admits pods and resizes them. */
  get allocations(): AllocationObserver {
    const { resizes, admission } = this;
    return {
      resizeRequested: (change) => resizes.resizeRequested(change),
      resizeRefused: (detail) => resizes.resizeRefused(detail),
      deferredResizeAccepted: (trigger) => resizes.deferredResizeAccepted(trigger),
      podPreempted: (resource) => admission.podPreempted(resource),
    };
  }
}
