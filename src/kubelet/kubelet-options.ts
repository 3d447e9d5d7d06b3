/** What a kubelet is made with: the world behind its ports, and the settings that people choose. */
import type { Pod } from '../api/pod.ts';
import type { BackOffLimits } from '../core/crash-backoff.ts';
import type { ImagePolicy } from '../core/image-collection.ts';
import type { ApiClient } from '../ports/api-client.ts';
import type { Clock } from '../ports/clock.ts';
import type { ContainerInputsSource } from '../ports/container-inputs.ts';
import type { DecisionLog } from '../ports/decision-log.ts';
import type { EventRecorder } from '../ports/event-recorder.ts';
import type { StartInformer } from '../ports/informer.ts';
import type { KubeApi } from '../ports/kube-api.ts';
import type { Log } from '../ports/log.ts';
import type { PodCgroups } from '../ports/pod-cgroups.ts';
import type { PodDiskUsage } from '../ports/pod-disk-usage.ts';
import type { PodFiles } from '../ports/pod-files.ts';
import type { PodLookup } from '../ports/pod-lookup.ts';
import type { PodObjects } from '../ports/pod-objects.ts';
import type { PodSync } from '../ports/pod-sync.ts';
import type { PodVolumes } from '../ports/pod-volumes.ts';
import type { PullSecrets } from '../ports/pull-secrets.ts';
import type { Random } from '../ports/random.ts';
import type { PodRuntime } from '../ports/runtime/pod-runtime.ts';
import type { RuntimeClasses } from '../ports/runtime-classes.ts';
import type { StateStore } from '../ports/state-store.ts';
import type { KubeletMetrics } from './metrics/kubelet-metrics.ts';
import type { PodAdmission } from './main-loop/pod-news.ts';
import type { ActivePodsRoom } from './main-loop/active-pods.ts';
import type { KillPodOptions } from './pod-workers/kill-pod-now.ts';
import type { PullRecords } from './images/pull-records.ts';
import type { NodeEvents } from './node/node-events.ts';
import type { ContainerSettings } from './pod-runner/container-settings.ts';
import type { LogLinks } from './pod-runner/log-links.ts';
import type { NodeDns } from './pod-runner/sandbox-maker.ts';
import type { AskContainer } from './probes/probe-clients.ts';
import type { ProbeMetrics } from './probes/probe-metrics.ts';
import type { FileSourceOptions } from './sources/file-source.ts';
import type { StatusManager } from './status-manager/status-manager.ts';
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
  /** Absent: pods have no control groups of their own here. */
  readonly cgroups?: KubeletCgroups | undefined;
  readonly runtimeClasses?: RuntimeClasses | undefined;
  readonly nodeEvents?: NodeEvents | undefined;
  /** Absent: every pod may use every image that is here. */
  readonly pullRecords?: PullRecords | undefined;
  readonly memoryCapacityBytes: number;
  /** The addresses of the node, at most one of each family. */
  readonly hostIPs: () => readonly string[];
  /** Made when there is something to decide about. */
  readonly admission: (room: AdmissionRoom) => KubeletAdmission;
  /** Something that decides whether the node is ready has changed. */
  readonly readinessChanged: () => void;
  readonly settings?: KubeletSettings | undefined;
  /** Who answers to probes; absent: whoever is asked, over the network or in the container. */
  readonly ask?: AskContainer | undefined;
  /** Wrapped around the recipes of a sync, such as by a trace. */
  readonly aroundSync?: ((podSync: PodSync) => PodSync) | undefined;
  /** Wrapped around every status write, such as by a trace. */
  readonly aroundWrite?: StatusManagerPorts['aroundWrite'];
}

export interface KubeletCgroups extends PodCgroups {
  /** Burstable pods get their share of what they ask for, all together. */
  share(activePods: readonly Pod[]): Promise<void>;
  /** Removes the groups of all pods but these; one with volumes waits for its end. */
  removeOrphans(
    keep: ReadonlySet<string>,
    hasVolumes: (podUid: string) => Promise<boolean>,
  ): Promise<void>;
}

export interface KubeletApi {
  readonly kube: KubeApi;
  readonly client: ApiClient;
  readonly startInformer: StartInformer;
}

/** Where pods have their files, and what containers are given of them. */
export interface KubeletStorage {
  readonly files: PodFiles;
  /** Absent: nobody looks for logs by their pods. */
  readonly logLinks?: LogLinks | undefined;
  readonly volumes: PodVolumes & {
    removeOrphans(keep: ReadonlySet<string>): Promise<void>;
    unmountAll(): Promise<void>;
    stop(): Promise<void>;
  };
  readonly inputs: ContainerInputsSource;
  readonly objects?: PodObjects | undefined;
  readonly pullSecrets?: PullSecrets | undefined;
  /** What was really applied to containers (E-4). */
  readonly actuated: StateStore;
  /** Absent: files of pods are on no disk that could be measured. */
  readonly disk?: PodDiskUsage | undefined;
  /** Logs are not on a disk: there is nothing to rotate. */
  readonly isImagined?: boolean | undefined;
}

/** What whoever decides about pods may look at. */
export interface AdmissionRoom extends ActivePodsRoom {
  readonly status: StatusManager;
  readonly pods: ActivePodsRoom['pods'] & PodLookup;
  /** Asks for a look at the pod. */
  readonly sync: (podUid: string) => void;
  /** Ends a pod to make room; settles when its containers have stopped, or that takes too long. */
  readonly killPod: (pod: Pod, options: KillPodOptions) => Promise<void>;
  readonly areSourcesReady: () => boolean;
}

export interface KubeletAdmission extends PodAdmission {
  /** The pod with the resources that it was really given (E-3). */
  allocated(pod: Pod): Pod;
  /** Forgets the grants of all pods but these. */
  keepOnly(uids: ReadonlySet<string>): void;
  stop(): void;
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
  /** Pulls a second, and at once; 0 a second: no limit. */
  readonly registryPullQps?: number;
  readonly registryBurst?: number;
  /** False: limits on local storage are not enforced. */
  readonly localStorageCapacityIsolation?: boolean;
}
