/**
 * Starts a node: the runtime, the storage of pods, the kubelet, the node agent (Node object and Lease), and
 * the kubelet's server.
 *
 *     events ──> runtime ──> storage ──> kubelet ──> node agent ──> its server
 *
 * Parts are opened in this order, and closed in the opposite one. The API server may be in this process or
 * elsewhere: the node only has a client for it.
 */
import type { NodePodCgroups } from '../../kubelet/cgroups/node-pod-cgroups.ts';
import type { DecisionHistory } from '../../kubelet/decision-history.ts';
import type { Kubelet } from '../../kubelet/kubelet.ts';
import type { KubeletMetrics } from '../../kubelet/metrics/kubelet-metrics.ts';
import type { NodeAgent } from '../../kubelet/node/node-agent.ts';
import type { NodeEvents } from '../../kubelet/node/node-events.ts';
import type { NodeQuery } from '../../kubelet/query/node-query.ts';
import type { OpenStorage } from '../../kubelet/storage.ts';
import { offAbort, onAbort } from '../../lib/abort-listeners.ts';
import type { PodReference } from '../../api/pod-reference.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import type { PodNetworks } from '../../runtimes/process/sandbox/pod-networks.ts';
import type { HealthCheck } from '../../lib/health-report.ts';
import type { Json } from '../../lib/json.ts';
import type { Registry } from '../../lib/metrics/registry.ts';
import type { KubeApi } from '../../ports/api/kube-api.ts';
import type { Log } from '../../ports/log.ts';
import type { EventRecorder } from '../../ports/observe/event-recorder.ts';
import type { OwnLog } from '../../ports/observe/own-log.ts';
import type { HttpHandler } from '../../ports/api/http-handler.ts';
import { ClosingList } from '../closing-list.ts';
import type { KubeletConfig } from '../config/kubelet-config.ts';
import { handleLater } from './server/later-handler.ts';
import { nodeHealthChecks } from './node-health.ts';
import { queryLater } from './query/query-later.ts';
import { startAlerts } from './alerts/start-alerts.ts';
import type { OpenRuntime } from './node-runtime.ts';
import type { ApiAddress } from './server/pod-listener.ts';
import { NodeMaker } from './node-maker.ts';

export interface NodeOptions {
  readonly name: string;
  /** Where the node keeps its files; absolute. */
  readonly folder: string;
  /** Folders that no container is to see. */
  readonly hiddenFolders: readonly string[];
  /** `process`, `simulated`, the endpoint of a container runtime, or a runtime that the caller has made. */
  readonly runtime: string | PodRuntime;
  readonly config: KubeletConfig;
  /** The client of the API server, as this node. */
  readonly api: KubeApi;
  /** Of podkeep. */
  readonly version: string;
  /** Of the kubelet's own server. */
  readonly kubeletPort: number;
  /** Where the user who started podkeep finds commands: containers do not, and their errors say so. */
  readonly searchPath: string;
  readonly log: Log;
  /** Absent: podkeep's own log is not served, and its verbosity cannot be changed. */
  readonly ownLog?: OwnLog;
  /** Of the command line, for /flagz; absent: it is not served. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Called with the address under which pods reach this machine, before the first pod starts. */
  readonly reachable: (address: string) => Promise<void>;
  /** The cluster has no DNS by design, so its pods get no warning about it. */
  readonly isWithoutDns?: boolean;
  /** Where pods find the API server; null: where its service says. */
  readonly apiForPods: () => ApiAddress | null;
  /** Absent: new ones. */
  readonly metrics?: KubeletMetrics;
  /** Addresses of the node that the command line sets, at most one of each family. */
  readonly nodeIPs?: readonly string[];
  /** Labels with which the node registers. */
  readonly nodeLabels?: Readonly<Record<string, string>>;
  /** Names of the API server, under which requests come that it proxies; absent: none. */
  readonly hostNames?: readonly string[];
  /** Of D-Bus, as in DBUS_SYSTEM_BUS_ADDRESS; absent: where every Linux has it. */
  readonly systemBusAddress?: string | undefined;
  /** Which node of this process it is; absent: 0, the only one. */
  readonly slot?: number;
  /** The pod networks of the other nodes of this process; absent: there are none. */
  readonly podNetworks?: PodNetworks;
  /** Aborted: podkeep is stopping, and does not wait for the node to be registered. */
  readonly signal?: AbortSignal;
}

export interface NodeParts {
  readonly kubelet: Kubelet;
  readonly decisions: DecisionHistory;
  readonly agent: NodeAgent;
  readonly metrics: KubeletMetrics;
  readonly events: NodeEvents & EventRecorder;
  readonly probeRegistry: Registry;
  readonly opened: OpenRuntime;
  /** Absent: podkeep manages no control groups for pods. */
  readonly cgroups: NodePodCgroups | undefined;
  readonly storage: OpenStorage;
}

export interface Node {
  readonly checks: readonly HealthCheck[];
  readonly events: NodeEvents;
  readonly metrics: Registry;
  /** The kubelet's own server, without a listener. */
  readonly server: HttpHandler;
  /** What the node knows, to read and to watch. Made with the first call. */
  readonly query: () => Promise<NodeQuery>;
  /** Of the runtime; absent: pods have their own networks. */
  readonly ownsPort: PodRuntime['ownsPort'];
  /** The addresses of the node, as its status has them. */
  readonly addresses: () => Json | undefined;
  /** Nothing new is started; containers keep running. */
  stop(): Promise<void>;
  /** Ends all pods by the settings for a shutdown; their final statuses are in the API then. Before `stop`. */
  drain(): Promise<void>;
  /** Pods with a running container. */
  runningPods(): readonly PodReference[];
  /**
   * Stops the containers of all pods, and leaves the pods as they are. Only after `stop`. `remaining` is
   * called with the pods that still run, whenever they change.
   */
  stopContainers(
    signal: AbortSignal,
    remaining?: (pods: readonly PodReference[]) => void,
  ): Promise<void>;
  /** Releases everything. Only after `stop`. */
  close(): Promise<void>;
}

/** Resolves when the node is registered and accepts pods. */
export async function startNode(options: NodeOptions): Promise<Node> {
  const closing = new ClosingList();
  try {
    const parts = await new NodeMaker(options, closing).make();
    const { kubelet, agent } = parts;
    // Closed first. A second call does nothing.
    closing.add(() => kubelet.stop());
    await kubelet.prepare();
    agent.start();
    await untilAborted(agent.registered, options.signal);
    await kubelet.start();
    const checks = nodeHealthChecks(options, parts, closing);
    const alerts = startAlerts(options, parts, closing);
    const query = queryLater(options, parts, alerts, closing);
    return {
      checks,
      events: parts.events,
      metrics: parts.metrics.registry,
      server: handleLater(async () => {
        const { createNodeServer } = await import('./server/node-server.ts');
        return createNodeServer({ ...options, parts, checks, query: await query() });
      }),
      query,
      ownsPort: parts.opened.runtime.ownsPort?.bind(parts.opened.runtime),
      addresses: () => agent.addresses(),
      stop: () => kubelet.stop(),
      drain: () => kubelet.drain(),
      runningPods: () => kubelet.runningPods(),
      stopContainers: (signal, remaining) => kubelet.stopContainers(signal, remaining),
      close: () => closing.run(),
    };
  } catch (error) {
    await closing.run();
    throw error;
  }
}

/** Rejects with the signal's reason: an API server that never answers is not waited for. */
async function untilAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  let leave = (): void => {};
  const left = new Promise<never>((_resolve, reject) => {
    leave = () => reject(signal?.reason);
  });
  onAbort(signal, leave);
  await Promise.race([work, left]).finally(() => offAbort(signal, leave));
}
