/**
 * The container runtime: sandboxes, in which containers run, created from images.
 *
 *     image ──┐
 *     sandbox ─┴─> created ──start──> running ──exits or is stopped──> exited ──remove──> (gone)
 *
 * The kubelet decides; a runtime carries out its orders and reports what it observes. Its operations are
 * those of the Container Runtime Interface, so that the runtime for containerd is a thin adapter, but they
 * take the kubelet's types: specs are already resolved, volumes already mounted on the host.
 *
 * 1. Everything that a call acknowledged survives a restart of podkeep: a new instance over the same folder
 *    reports the same sandboxes and containers, with restart counts, times and exit codes.
 * 2. Every operation is idempotent. Stopping or removing an object that is gone is no error; any other
 *    operation on it fails with RUNTIME_NOT_FOUND.
 * 3. An exit code is known before the container is reported as exited, and is kept until the container is
 *    removed.
 * 4. A stop that is called again with a shorter grace period takes effect immediately.
 *
 * A runtime may leave out optional operations. The kubelet then reports that to the client.
 */
import type { Duplex } from 'node:stream';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import type { ContainerConfig, ContainerResources } from './container-config.ts';
import type { ImageStore } from './image-store.ts';
import type { SandboxConfig } from './sandbox-config.ts';
import type { ContainerStats, SandboxStats } from './stats.ts';
import type { ExecRequest, ExecResult, StreamRequest, Streams } from './streams.ts';

export interface PodRuntime {
  /** The scheme of container IDs, before `://`. */
  readonly name: string;
  readonly images: ImageStore;
  /** How many pods it starts in parallel before all of them get slower. Absent: no limit is useful. */
  readonly parallelStarts?: number;
  /**
   * It runs real containers: sandboxes go into the cgroup parent of their config, which the kubelet
   * creates, and profiles of AppArmor and seccomp are enforced. Absent: it has no use for pod cgroups.
   */
  readonly usesPodCgroups?: boolean;
  /** The runtime's cgroup driver. Null: it does not report one. */
  cgroupDriver?(): Promise<'cgroupfs' | 'systemd' | null>;
  version(): Promise<RuntimeVersion>;
  /** Whether the runtime can run pods, and whether they get a network. */
  status(): Promise<RuntimeStatus>;

  /** Every pod that has a sandbox or a container, dead ones included. */
  list(): Promise<readonly RuntimePodEntry[]>;
  /** Everything about one pod; empty if the runtime has nothing of it. */
  inspect(podUid: string): Promise<RuntimePod>;
  /** Notifies the listener of changes as they happen. Absent: the kubelet relists from time to time. */
  follow?(listener: (event: RuntimeEvent) => void): () => void;

  /** Creates and starts the sandbox. Returns its ID. */
  runSandbox(config: SandboxConfig, signal: AbortSignal): Promise<string>;
  /** Stops everything that still runs in the sandbox, and releases its address. */
  stopSandbox(id: string): Promise<void>;
  removeSandbox(id: string): Promise<void>;

  /** Returns the container's ID, with the scheme. Nothing runs yet. */
  createContainer(sandboxId: string, config: ContainerConfig, signal: AbortSignal): Promise<string>;
  startContainer(id: string): Promise<void>;
  /**
   * Sends the container's stop signal, and kills it after the grace period. Resolves when it has ended.
   * An aborted signal ends the waiting, not the container.
   */
  stopContainer(id: string, graceSeconds: number, signal: AbortSignal): Promise<void>;
  removeContainer(id: string): Promise<void>;
  /** Optional: without it a resize restarts the container. */
  updateResources?(id: string, resources: ContainerResources): Promise<void>;
  /** Opens a new log file under the same name, after the old one was moved away. */
  reopenLog(id: string): Promise<void>;

  /** Runs a command inside and waits for it, as a probe or a hook does. */
  execSync(id: string, request: ExecRequest, signal: AbortSignal): Promise<ExecResult>;
  /** Runs a command inside with streams, as `kubectl exec` does. */
  exec?(id: string, command: readonly string[], request: StreamRequest): Promise<Streams>;
  attach?(id: string, request: StreamRequest): Promise<Streams>;
  /** A connection to a port inside the sandbox. */
  connectPort?(sandboxId: string, port: number): Promise<Duplex>;
  /**
   * Whether the pod answers on a port of its address, and not the machine whose network it shares.
   * Absent: each pod has a network namespace.
   */
  ownsPort?(ip: string, port: number): Promise<boolean>;

  containerStats?(): Promise<readonly ContainerStats[]>;
  sandboxStats?(): Promise<readonly SandboxStats[]>;

  /** Stops following and frees the resources of this instance. Containers keep running. */
  close(): Promise<void>;
}

export interface RuntimeVersion {
  readonly name: string;
  readonly version: string;
}

export interface RuntimeStatus {
  readonly isReady: boolean;
  readonly isNetworkReady: boolean;
  /** Why not, if not. */
  readonly reason?: string;
  readonly message?: string;
  /** What the runtime supports. */
  readonly features: RuntimeFeatures;
  /** Its handlers, as RuntimeClasses name them. Absent: it does not report them. */
  readonly handlers?: readonly RuntimeHandler[];
}

export interface RuntimeHandler {
  /** Empty: the default, for pods without a RuntimeClass. */
  readonly name: string;
  readonly hasRecursiveReadOnly: boolean;
  readonly hasUserNamespaces: boolean;
}

export interface RuntimeFeatures {
  /** CPU and memory limits are enforced. */
  readonly enforcesCpu: boolean;
  readonly enforcesMemory: boolean;
  /** Containers have their mounts at the requested paths. */
  readonly hasMounts: boolean;
  /** Each pod has an address that it shares with no other. */
  readonly hasPodAddresses: boolean;
  /** Whether pods can have a user namespace. Absent: they cannot. */
  readonly hasUserNamespaces?: boolean;
  /** Mounts below a mount can be made read-only too. */
  readonly hasRecursiveReadOnly?: boolean;
  /** Images can be mounted into containers. */
  readonly hasImageVolumes?: boolean;
  /** Folders of images can be mounted, too. A runtime without this feature would mount the whole image. */
  readonly hasImageSubPaths?: boolean;
  /** The image's supplementary groups of its user can be left out. */
  readonly hasSupplementalGroupsPolicy?: boolean;
}

/** A pod, by the labels of its sandboxes and containers. */
export interface RuntimePodEntry {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly pod: RuntimePod;
}

export interface RuntimeEvent {
  readonly podUid: string;
  readonly type: 'sandboxChanged' | 'containerStarted' | 'containerDied' | 'containerRemoved';
  /** The container, if the event is about one. */
  readonly containerId?: string;
}
