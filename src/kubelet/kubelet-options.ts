/** The options of a kubelet: the ports that it depends on, and its settings. */
import type { BackOffLimits } from '../core/pod-actions/crash-backoff.ts';
import type { ShutdownPeriod } from '../core/node-shutdown/shutdown-groups.ts';
import type { ImagePolicy } from '../core/images/image-collection.ts';
import type { ApiClient } from '../ports/api/api-client.ts';
import type { Clock } from '../ports/clock.ts';
import type { ContainerInputsSource } from '../ports/pod/container-inputs.ts';
import type { DecisionLog } from '../ports/observe/decision-log.ts';
import type { EventRecorder } from '../ports/observe/event-recorder.ts';
import type { StartInformer } from '../ports/api/informer.ts';
import type { KubeApi } from '../ports/api/kube-api.ts';
import type { Log } from '../ports/log.ts';
import type { KubeletCgroups } from '../ports/pod/pod-cgroups.ts';
import type { PodDiskUsage } from '../ports/pod/pod-disk-usage.ts';
import type { PodFiles } from '../ports/pod/pod-files.ts';
import type { PodObjects } from '../ports/api/pod-objects.ts';
import type { PodSync } from '../ports/pod/pod-sync.ts';
import type { PodVolumes } from '../ports/pod/pod-volumes.ts';
import type { PullSecrets } from '../ports/api/pull-secrets.ts';
import type { Random } from '../ports/random.ts';
import type { PodRuntime } from '../ports/runtime/pod-runtime.ts';
import type { ShutdownInhibitor } from '../ports/shutdown-inhibitor.ts';
import type { RuntimeClasses } from '../ports/api/runtime-classes.ts';
import type { StateStore } from '../ports/pod/state-store.ts';
import type { NodeView } from './allocation/allocation-deps.ts';
import type { NodeEviction } from './eviction/create-eviction-manager.ts';
import type { KubeletMetrics } from './metrics/kubelet-metrics.ts';
import type { PullRecords } from './images/pull-records.ts';
import type { NodeEvents } from './node/node-events.ts';
import type { ContainerSettings } from './containers/config/container-settings.ts';
import type { LogLinks } from './logs/log-links.ts';
import type { ShutdownStateStore } from './node-shutdown/shutdown-state.ts';
import type { NodeDns } from './containers/start/sandbox-maker.ts';
import type { AskContainer } from './probes/probe-clients.ts';
import type { ProbeMetrics } from './probes/probe-metrics.ts';
import type { FileSourceOptions } from './sources/file-source.ts';
import type { StatusManagerPorts } from './status-manager/settings.ts';

export interface KubeletOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly decisions: DecisionLog;
  readonly metrics: KubeletMetrics;
  readonly probeMetrics: ProbeMetrics;
  readonly runtime: PodRuntime;
  readonly nodeName: string;
  /** Absent: a node without an API server, which runs static pods only. */
  readonly api?: KubeletApi | undefined;
  /** Absent: there are no static pods. */
  readonly manifests?:
    | Pick<FileSourceOptions, 'path' | 'prepare' | 'rescanMs' | 'watch'>
    | undefined;
  readonly storage: KubeletStorage;
  readonly dns: NodeDns;
  /** Absent: pods have no cgroups here. */
  readonly cgroups?: KubeletCgroups | undefined;
  readonly runtimeClasses?: RuntimeClasses | undefined;
  readonly nodeEvents?: NodeEvents | undefined;
  /** Absent: every pod may use every image on this node. */
  readonly pullRecords?: PullRecords | undefined;
  readonly memoryCapacityBytes: number;
  readonly eviction: NodeEviction;
  /** The addresses of the node, at most one of each family. */
  readonly hostIPs: () => readonly string[];
  /** The view of the node that admission and allocation use. */
  readonly node: NodeView;
  /** Called when something changed that affects the conditions of the node. */
  readonly readinessChanged: () => void;
  /** Absent: the machine announces no shutdowns, and the times of shutdowns are not stored. */
  readonly shutdown?: KubeletShutdown | undefined;
  readonly settings?: KubeletSettings | undefined;
  /** Probes a container; absent: over the network or in the container. */
  readonly ask?: AskContainer | undefined;
  /** Wrapped around the handlers of a sync, for example by a trace. */
  readonly aroundSync?: ((podSync: PodSync) => PodSync) | undefined;
  /** Wrapped around the runtime, after its time limits, for example by a trace. */
  readonly aroundRuntime?: ((runtime: PodRuntime) => PodRuntime) | undefined;
  /** Wrapped around every status write, for example by a trace. */
  readonly aroundWrite?: StatusManagerPorts['aroundWrite'];
}

export interface KubeletApi {
  readonly kube: KubeApi;
  readonly client: ApiClient;
  readonly startInformer: StartInformer;
}

export interface KubeletShutdown {
  readonly inhibitor?: ShutdownInhibitor | undefined;
  readonly state?: ShutdownStateStore | undefined;
}

/** The files of pods, and what containers get from them. */
export interface KubeletStorage {
  readonly files: PodFiles;
  /** Absent: there are no links to logs. */
  readonly logLinks?: LogLinks | undefined;
  readonly volumes: PodVolumes & {
    removeOrphans(keep: ReadonlySet<string>): Promise<void>;
    unmountAll(): Promise<void>;
    stop(): Promise<void>;
  };
  readonly inputs: ContainerInputsSource;
  readonly objects?: PodObjects | undefined;
  readonly pullSecrets?: PullSecrets | undefined;
  /** The resources that were allocated to pods (E-3). */
  readonly allocated: StateStore;
  /** The resources that were applied to containers (E-4). */
  readonly actuated: StateStore;
  /** Absent: the files of pods are not on a disk that could be measured. */
  readonly disk?: PodDiskUsage | undefined;
  /** A second instance, which measures all pods under disk pressure; it includes unfinished counts. */
  readonly rankingDisk?: PodDiskUsage | undefined;
  /** Logs are not on a disk: there is nothing to rotate. */
  readonly isSimulated?: boolean | undefined;
}

/** Fields of KubeletConfiguration; absent: the kubelet's defaults. */
export interface KubeletSettings {
  readonly syncFrequencyMs?: number;
  readonly kubeApiQps?: number;
  readonly kubeApiBurst?: number;
  readonly statusWriteWindow?: number;
  readonly runtimeRequestTimeoutMs?: number;
  readonly parallelPullsMax?: number;
  readonly crashBackOff?: BackOffLimits;
  readonly containerLogMaxBytes?: number;
  readonly containerLogMaxFiles?: number;
  readonly containerLogRotationMs?: number;
  readonly containers?: ContainerSettings;
  readonly images?: ImagePolicy;
  /** Pulls per second, and burst; 0 per second: no limit. */
  readonly registryPullQps?: number;
  readonly registryBurst?: number;
  /** False: limits on local storage are not enforced. */
  readonly localStorageCapacityIsolation?: boolean;
  /** Lowest priority first; absent or empty: shutdowns of the machine are not watched. */
  readonly shutdownPeriods?: readonly ShutdownPeriod[];
}
