/**
 * What runs pods: sandboxes, in which containers run, made from images.
 *
 *     image ──┐
 *     sandbox ─┴─> created ──start──> running ──exits or is stopped──> exited ──remove──> (gone)
 *
 * The kubelet decides; a runtime does what it is told and reports what it sees. Its operations are
 * those of the Container Runtime Interface, so that one for containerd is a thin adapter, but they are
 * written in the kubelet's words: specs are already resolved, volumes already mounted on the host.
 *
 * 1. What was acknowledged survives a restart of podkeep: a new instance over the same place reports
 *    the same sandboxes and containers, with restart counts, times and exit codes.
 * 2. Every operation may be called again. What is done already succeeds; what is gone is no error when
 *    it was to be stopped or removed, and RUNTIME_NOT_FOUND otherwise.
 * 3. An exit code is known before the container is reported as exited, and is kept until the container
 *    is removed.
 * 4. A stop that is called again with a shorter grace takes effect at once.
 *
 * A runtime may leave out what is marked optional. The kubelet then says so to whoever asks for it.
 */
import type { Duplex } from 'node:stream';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import type { ContainerConfig, ContainerResources } from './container-config.ts';
import type { ImageStore } from './image-store.ts';
import type { SandboxConfig } from './sandbox-config.ts';
import type { ContainerStats, SandboxStats } from './stats.ts';
import type { ExecRequest, ExecResult, StreamRequest, Streams } from './streams.ts';

export interface PodRuntime {
  /** Stands before `://` in container IDs. */
  readonly name: string;
  readonly images: ImageStore;
  /** How many pods it starts at once before all of them get slower. Absent: the more the better. */
  readonly parallelStarts?: number;
  /**
   * It runs real containers: sandboxes go into the control group that they are told, which the kubelet
   * makes, and profiles of AppArmor and seccomp are enforced. Absent: it looks after itself.
   */
  readonly usesPodCgroups?: boolean;
  /** Who makes control groups for it. Null: it does not say. */
  cgroupDriver?(): Promise<'cgroupfs' | 'systemd' | null>;
  version(): Promise<RuntimeVersion>;
  /** Whether pods can be run at all, and whether they get a network. */
  status(): Promise<RuntimeStatus>;

  /** Every pod that has a sandbox or a container here, dead ones included. */
  list(): Promise<readonly RuntimePodEntry[]>;
  /** Everything about one pod; empty if there is nothing of it. */
  inspect(podUid: string): Promise<RuntimePod>;
  /** Tells of what changed, as it happens. Absent: the kubelet asks from time to time. */
  follow?(listener: (event: RuntimeEvent) => void): () => void;

  /** Makes the sandbox and brings it up. Returns its ID. */
  runSandbox(config: SandboxConfig, signal: AbortSignal): Promise<string>;
  /** Ends what still runs in it, and gives back its address. */
  stopSandbox(id: string): Promise<void>;
  removeSandbox(id: string): Promise<void>;

  /** Returns its ID, with the scheme. Nothing runs yet. */
  createContainer(sandboxId: string, config: ContainerConfig, signal: AbortSignal): Promise<string>;
  startContainer(id: string): Promise<void>;
  /**
   * Asks with the container's stop signal, and ends it after the grace. Resolves when it has ended.
   * An aborted signal ends the waiting, not the container.
   */
  stopContainer(id: string, graceSeconds: number, signal: AbortSignal): Promise<void>;
  removeContainer(id: string): Promise<void>;
  /** Optional: without it a resize restarts the container. */
  updateResources?(id: string, resources: ContainerResources): Promise<void>;
  /** Begins a new log file under the same name, after the old one was moved away. */
  reopenLog(id: string): Promise<void>;

  /** Runs a command inside and waits for it, as a probe or a hook does. */
  execSync(id: string, request: ExecRequest, signal: AbortSignal): Promise<ExecResult>;
  /** Runs a command inside with streams, as `kubectl exec` does. */
  exec?(id: string, command: readonly string[], request: StreamRequest): Promise<Streams>;
  attach?(id: string, request: StreamRequest): Promise<Streams>;
  /** A connection to a port inside the sandbox. */
  connectPort?(sandboxId: string, port: number): Promise<Duplex>;

  containerStats?(): Promise<readonly ContainerStats[]>;
  sandboxStats?(): Promise<readonly SandboxStats[]>;

  /** Stops following and frees what this instance holds. Containers go on running. */
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
  /** What the kubelet may ask for. */
  readonly features: RuntimeFeatures;
  /** The ways in which it runs sandboxes, as RuntimeClasses name them. Absent: it does not say. */
  readonly handlers?: readonly RuntimeHandler[];
}

export interface RuntimeHandler {
  /** Empty: the one that is used when a pod names none. */
  readonly name: string;
  readonly hasRecursiveReadOnly: boolean;
  readonly hasUserNamespaces: boolean;
}

export interface RuntimeFeatures {
  /** Limits of CPU and memory are enforced. */
  readonly enforcesCpu: boolean;
  readonly enforcesMemory: boolean;
  /** Containers see the mounts they ask for at the paths they ask for. */
  readonly hasMounts: boolean;
  /** Each pod has an address that is nobody else's. */
  readonly hasPodAddresses: boolean;
  /** Whether pods can have users of their own. Absent: they cannot. */
  readonly hasUserNamespaces?: boolean;
  /** Mounts below a mount can be made read-only too. */
  readonly hasRecursiveReadOnly?: boolean;
  /** Images can be mounted into containers. */
  readonly hasImageVolumes?: boolean;
  /** Groups that an image names for its user can be left out. */
  readonly hasSupplementalGroupsPolicy?: boolean;
}

/** A pod by what the runtime has written on its sandboxes and containers. */
export interface RuntimePodEntry {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly pod: RuntimePod;
}

export interface RuntimeEvent {
  readonly podUid: string;
  readonly type: 'sandboxChanged' | 'containerStarted' | 'containerDied' | 'containerRemoved';
  /** Of the container, where one is meant. */
  readonly containerId?: string;
}
