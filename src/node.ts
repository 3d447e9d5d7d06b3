/**
 * The entry point `podkeep/node`: runs a node of a cluster in this process, with a runtime of your own or one
 * of podkeep's.
 *
 * A program that implements `PodRuntime` gets the rest from podkeep: pod workers, probes, back-off, lifecycle
 * hooks, volumes, statuses, Events, admission, the Node object with its heartbeat, and the kubelet's HTTPS
 * server. The first `runNode` loads all of it, so that programs that need only the types load nothing.
 */
import path from 'node:path';
import type { KubeletConfig } from './cli/config/kubelet-config.ts';
import type { NodeQuery } from './kubelet/query/node-query.ts';
import type { Log } from './ports/log.ts';
import type { PodRuntime } from './ports/runtime/pod-runtime.ts';

export type {
  PodRuntime,
  RuntimeEvent,
  RuntimeFeatures,
  RuntimeHandler,
  RuntimePodEntry,
  RuntimeStatus,
  RuntimeVersion,
} from './ports/runtime/pod-runtime.ts';
export type {
  DnsConfig as SandboxDnsConfig,
  HostPort as SandboxHostPort,
  SandboxConfig,
  SandboxSecurity,
} from './ports/runtime/sandbox-config.ts';
export type {
  ContainerConfig,
  ContainerResources,
  ContainerSecurity,
  EnvironmentVariable as ContainerEnvironmentVariable,
  HugePageLimit as ContainerHugePageLimit,
  Mount as ContainerMount,
  SeLinuxLabel,
  SupplementalGroupsPolicy,
} from './ports/runtime/container-config.ts';
export type {
  Credentials as ImagePullCredentials,
  CredentialSource as ImagePullCredentialSource,
  Image as StoredImage,
  ImageStore,
  ImageUsage as ImageStoreUsage,
  ImageUse,
} from './ports/runtime/image-store.ts';
export type {
  ContainerStats,
  CpuStats,
  MemoryStats,
  NetworkStats,
  SandboxStats,
} from './ports/runtime/stats.ts';
export type {
  ExecRequest as ContainerExecRequest,
  ExecResult as ContainerExecResult,
  StreamRequest as ContainerStreamRequest,
  Streams as ContainerStreams,
} from './ports/runtime/streams.ts';
export type {
  RuntimeContainer,
  RuntimeContainerState,
  RuntimePod,
  RuntimeResources,
  RuntimeSandbox,
} from './api/runtime-pod.ts';
export type {
  DecisionListFilter as NodeQueryDecisionListFilter,
  NodeQuery,
  WatchPosition as NodeQueryWatchPosition,
} from './kubelet/query/node-query.ts';
export type {
  DecisionFilter as NodeQueryDecisionFilter,
  PodFilter as NodeQueryPodFilter,
} from './kubelet/query/query-filter.ts';
export type {
  QueryEvent as NodeQueryEvent,
  QueryEventType as NodeQueryEventType,
} from './kubelet/query/query-event.ts';
export type { QueryWatch as NodeQueryWatch } from './kubelet/query/query-watch.ts';
export type { Log, LogFacts } from './ports/log.ts';
export type { KubeletConfig } from './cli/config/kubelet-config.ts';
export { PodkeepError } from './lib/errors.ts';

export interface NodeOptions {
  /** The name of the node: a DNS name, unique in the cluster. */
  readonly name: string;
  /** A kubeconfig: the address of the API server, and the credentials for it. */
  readonly kubeconfig: string;
  /**
   * The bootstrap kubeconfig, with which the node requests its first certificate if `kubeconfig` does not
   * exist or is invalid.
   */
  readonly bootstrapKubeconfig?: string;
  /** The folder of the node's data about pods. No other process may use it. */
  readonly dataDir: string;
  /** The runtime: `process`, `simulated`, the socket of a container runtime, or your own. */
  readonly runtime: 'process' | 'simulated' | `unix://${string}` | PodRuntime;
  /** A file with a KubeletConfiguration. */
  readonly configFile?: string;
  /** Takes precedence over `configFile`. */
  readonly config?: Partial<KubeletConfig>;
  /** Absent: warnings and errors go to stderr. */
  readonly log?: Log;
  /** Environment variables for credential plugins and proxies. Absent: empty. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

export interface RunningNode {
  /** Queries and watches the node: its pods, the decisions about them, and its resource usage. */
  readonly query: NodeQuery;
  /** Stops the node. Containers keep running, and the next node with the same `dataDir` adopts them. */
  stop(): Promise<void>;
}

/** Resolves when the node is registered and accepts pods. */
export async function runNode(options: NodeOptions): Promise<RunningNode> {
  const { name, runtime, configFile, environment = {}, log = stderrLog } = options;
  const [{ readKubeletConfig }, { locateDataFolder, makeDataFolder }, { startJoinedNode }, own] =
    await Promise.all([
      import('./cli/config/kubelet-config.ts'),
      import('./cli/data-folder.ts'),
      import('./cli/node/joined-node.ts'),
      import('./cli/version.ts'),
    ]);
  const folder = locateDataFolder(options.dataDir, {});
  makeDataFolder(folder);
  const node = await startJoinedNode({
    name,
    runtime,
    folder,
    environment,
    log,
    kubeconfig: path.resolve(options.kubeconfig),
    bootstrapKubeconfig: options.bootstrapKubeconfig && path.resolve(options.bootstrapKubeconfig),
    config: await readKubeletConfig(configFile ? path.resolve(configFile) : null, options.config),
    version: own.version(),
    searchPath: environment['PATH'] ?? '',
  });
  return {
    query: await node.query(),
    stop: async () => {
      await node.stop();
      await node.close();
    },
  };
}

const stderrLog: Log = {
  debug: () => {},
  info: () => {},
  warn: (message, facts) => console.warn(message, facts),
  error: (message, facts) => console.error(message, facts),
};
