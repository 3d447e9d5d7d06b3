/**
 * `podkeep/node`: a node of a cluster in this process, with a runtime of your own or one of ours.
 *
 * Whoever implements `PodRuntime` gets the rest from podkeep: workers, probes, back-off, hooks, volumes,
 * statuses, events, admission, the Node object with its heartbeat, and the kubelet's HTTPS server.
 */
import path from 'node:path';
import { readKubeletConfig, type KubeletConfig } from './cli/config/kubelet-config.ts';
import { locateDataFolder, makeDataFolder } from './cli/data-folder.ts';
import { startJoinedNode } from './cli/node/joined-node.ts';
import { version } from './cli/version.ts';
import type { Log } from './ports/log.ts';
import type { PodRuntime } from './ports/runtime/pod-runtime.ts';

export type * from './ports/runtime/container-config.ts';
export type * from './ports/runtime/image-store.ts';
export type * from './ports/runtime/pod-runtime.ts';
export type * from './ports/runtime/sandbox-config.ts';
export type * from './ports/runtime/stats.ts';
export type * from './ports/runtime/streams.ts';
export type * from './api/runtime-pod.ts';
export type { Log, LogFacts } from './ports/log.ts';
export type { KubeletConfig } from './cli/config/kubelet-config.ts';
export { PodkeepError } from './lib/errors.ts';

export interface NodeOptions {
  /** Of the node: a DNS name, and nobody else's in the cluster. */
  readonly name: string;
  /** A file that says where the API server is, and as whom to speak with it. */
  readonly kubeconfig: string;
  /** With which the node asks for its first certificate, if the kubeconfig is not there or not good. */
  readonly bootstrapKubeconfig?: string;
  /** Where the node keeps what belongs to pods. Nobody else uses it. */
  readonly dataDir: string;
  /** What runs pods: `process`, `simulated`, the socket of a container runtime, or your own. */
  readonly runtime: 'process' | 'simulated' | `unix://${string}` | PodRuntime;
  /** A file with a KubeletConfiguration. */
  readonly configFile?: string;
  /** Counts more than the file. */
  readonly config?: Partial<KubeletConfig>;
  /** Absent: warnings and errors go to stderr. */
  readonly log?: Log;
  /** For plugins of the kubeconfig and proxies; absent: nothing. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

export interface RunningNode {
  /** Ends the work of the node. Containers go on running: the next one adopts them. */
  stop(): Promise<void>;
}

/** Resolves when the node is registered and takes pods. */
export async function runNode(options: NodeOptions): Promise<RunningNode> {
  const { name, runtime, configFile, environment = {}, log = stderrLog } = options;
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
    version: version(),
    searchPath: environment['PATH'] ?? '',
  });
  return {
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
