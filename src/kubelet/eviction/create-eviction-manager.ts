/** Builds the eviction manager of a node from the parts of its kubelet. */
import type { Capacity } from '../../api/machine.ts';
import type { Pod } from '../../api/pod.ts';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import type { ReclaimStep } from '../../core/eviction/file-system-layout.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { MachineFacts } from '../../ports/machine-facts.ts';
import type { EventRecorder } from '../../ports/observe/event-recorder.ts';
import type { PodDiskUsage } from '../../ports/pod/pod-disk-usage.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import type { EvictionMetrics } from '../metrics/eviction-metrics.ts';
import type { NodeEvents } from '../node/node-events.ts';
import { activePods, type ActivePodsDeps } from '../pod-workers/active-pods.ts';
import type { KillPodOptions } from '../pod-workers/kill-pod-now.ts';
import { EvictionManager, type EvictionManagerSettings } from './eviction-manager.ts';
import { LocalStorageEviction } from './local-storage-eviction.ts';
import { NodeObserver } from './node-observer.ts';
import { PodUsageReader } from './pod-usage-reader.ts';

/** The parts of the node that the eviction manager observes, and its settings. */
export interface NodeEviction {
  readonly machine: MachineFacts;
  /** The folder of the files of pods. */
  readonly rootFolder: string;
  /** The memory of all pods together, and its limit. Absent: pods have no common limit here. */
  readonly podsMemory?: (() => Promise<Capacity | null>) | undefined;
  readonly settings: EvictionManagerSettings;
}

/** The parts of the pod engine that the eviction manager uses. */
export interface EvictionEngine {
  readonly pods: ActivePodsDeps['pods'];
  readonly status: ActivePodsDeps['status'];
  readonly workers: ActivePodsDeps['workers'] & {
    shouldPodBeFinished(uid: string): boolean;
    killPodNow(pod: Pod, options: KillPodOptions): Promise<void>;
  };
  readonly runtime: PodRuntime;
  readonly cache: { peek(podUid: string): RuntimePod | null };
}

export interface EvictionParts {
  readonly node: NodeEviction;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly nodeEvents?: NodeEvents | undefined;
  readonly metrics: { readonly evictions: EvictionMetrics };
  readonly engine: EvictionEngine;
  /** The pod with its allocated resources. */
  readonly allocated: (pod: Pod) => Pod;
  /** Absent: the files of pods are not on a disk. */
  readonly storage: {
    readonly disk?: PodDiskUsage | undefined;
    readonly rankingDisk?: PodDiskUsage | undefined;
  };
  /** False: limits on local storage are not enforced. */
  readonly hasLocalStorageLimits: boolean;
  readonly reclaim: Readonly<Record<ReclaimStep, () => Promise<void>>>;
  readonly changed: () => void;
}

export function createEvictionManager(parts: EvictionParts): EvictionManager {
  const { node, clock, log, events, nodeEvents, engine, storage } = parts;
  const { pods, status, workers, runtime, cache } = engine;
  const { evictions: metrics } = parts.metrics;
  const killPod = (pod: Pod, options: KillPodOptions): Promise<void> =>
    workers.killPodNow(pod, options);
  const active = { pods, workers, status };
  const { disk } = storage;
  const observer = new NodeObserver({ ...node, clock, log, events: nodeEvents, runtime, disk });
  const limits = new LocalStorageEviction({
    ...active,
    log,
    events,
    metrics,
    runtime,
    disk,
    killPod,
    peek: (uid) => cache.peek(uid),
    // As long as the layout is not known, a writable layer does not count for the limit of its container.
    hasDedicatedImageFs: async () => (await observer.layout()) !== 'single',
  });
  return new EvictionManager({
    clock,
    log,
    events,
    nodeEvents,
    metrics,
    observer,
    killPod,
    limits: parts.hasLocalStorageLimits ? limits : undefined,
    usage: new PodUsageReader({ runtime, disk: storage.rankingDisk }),
    activePods: () => activePods(active).map(parts.allocated),
    reclaim: parts.reclaim,
    isCleanedUp: (uid) => workers.shouldPodBeFinished(uid),
    changed: parts.changed,
    settings: node.settings,
  });
}
