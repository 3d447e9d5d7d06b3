/**
 * A whole node in virtual time: the kubelet with all its parts over a simulated machine, as a client of a
 * whole API server (virtual-cluster.ts), in which it has the rights of its own node only.
 *
 * Podkeep can be stopped and started again; machine, files and cluster stay. Containers do what scripts
 * say, files are simulated, and only manifests of static pods are on a disk.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { defaultPod } from '../../../src/api/pod-validation/defaults/pod-defaults.ts';
import { validatePod } from '../../../src/api/pod-validation/pod-validation.ts';
import { createApiClient } from '../../../src/client/api-client.ts';
import type { Transport } from '../../../src/client/transport/transport.ts';
import { DecisionHistory } from '../../../src/kubelet/decision-history.ts';
import { ApiEventRecorder } from '../../../src/kubelet/events/api-event-recorder.ts';
import { parseThresholds } from '../../../src/core/eviction/threshold-settings.ts';
import { NODE_SETTINGS_DEFAULT } from '../../../src/core/node/node-settings.ts';
import { NodeAgent } from '../../../src/kubelet/node/node-agent.ts';
import type { EvictionManagerSettings } from '../../../src/kubelet/eviction/eviction-manager.ts';
import { Kubelet } from '../../../src/kubelet/kubelet.ts';
import type {
  KubeletApi,
  KubeletOptions,
  KubeletSettings,
  KubeletShutdown,
} from '../../../src/kubelet/kubelet-options.ts';
import { KubeletMetrics } from '../../../src/kubelet/metrics/kubelet-metrics.ts';
import type { AskContainer } from '../../../src/kubelet/probes/probe-clients.ts';
import { ProbeMetrics } from '../../../src/kubelet/probes/probe-metrics.ts';
import { openStorage, type OpenStorage } from '../../../src/kubelet/storage.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { Registry } from '../../../src/lib/metrics/registry.ts';
import type { Log, LogFacts } from '../../../src/ports/log.ts';
import type { PodDiskUsage } from '../../../src/ports/pod/pod-disk-usage.ts';
import type { StateStore } from '../../../src/ports/pod/state-store.ts';
import type { MachineFacts } from '../../../src/ports/machine-facts.ts';
import type { NodeFacts } from '../../../src/ports/node-facts.ts';
import type { RuntimeFaults } from '../../../src/runtimes/simulated/faults.ts';
import {
  SimulatedMachine,
  type SimulatedMachineOptions,
} from '../../../src/runtimes/simulated/machine.ts';
import { SimulatedPodFiles } from '../../../src/runtimes/simulated/simulated-pod-files.ts';
import { SimulatedRuntime } from '../../../src/runtimes/simulated/simulated-runtime.ts';
import { silentLog } from '../../support/silent-ports.ts';
import { simulatedMachine, viewOf } from './simulated-machine.ts';
import { simulatedProbes } from './simulated-network.ts';
import { VirtualCluster } from './virtual-cluster.ts';

export interface VirtualNodeOptions extends Omit<SimulatedMachineOptions, 'clock'> {
  readonly seed?: number;
  readonly nodeName?: string;
  readonly faults?: RuntimeFaults;
  readonly isNetworkReady?: () => boolean;
  readonly hasEvents?: boolean;
  readonly hasManifests?: boolean;
  /** The server that network probes reach; absent: none. */
  readonly askNetwork?: AskContainer;
  /** Of the API server; absent: all. */
  readonly controllers?: ReadonlySet<string>;
  /** What the files of pods take; absent: nothing is measured. */
  readonly disk?: PodDiskUsage;
  readonly settings?: KubeletSettings;
  /** The machine's announcements of shutdowns; absent: there are none. */
  readonly shutdown?: KubeletShutdown;
  /** What runs short; absent: the kubelet's thresholds on a machine that has enough of everything. */
  readonly eviction?: Partial<EvictionManagerSettings>;
  readonly machineFacts?: MachineFacts;
  /** Wraps the allocations on disk. */
  readonly allocated?: (real: StateStore) => StateStore;
  /** Wraps the connection between the kubelet and the API server. */
  readonly network?: (transport: Transport) => Transport;
}

interface Running {
  readonly kubelet: Kubelet;
  readonly runtime: SimulatedRuntime;
  readonly storage: OpenStorage;
  readonly events: ApiEventRecorder;
  readonly agent: NodeAgent;
}

interface Made {
  readonly api: KubeletApi;
  readonly log: Log;
  readonly events: ApiEventRecorder;
}

interface MadeStorage {
  readonly storage: OpenStorage;
  readonly runtime: SimulatedRuntime;
}

const ROOT_FOLDER = '/var/lib/kubelet';
/** By then it is registered and ready, and all taints of a new node are gone. */
const UNTIL_READY_MS = 2000;
const STOP_STEP_MS = 100;
const STOP_MS_MAX = 600_000;

export class VirtualNode {
  readonly cluster: VirtualCluster;
  readonly clock: VirtualCluster['clock'];
  readonly name: string;
  readonly machine: SimulatedMachine;
  readonly files: SimulatedPodFiles;
  /** Warnings and errors of podkeep's log. */
  readonly problems: string[] = [];
  readonly folder: string | null;
  /** Of podkeep since the node was opened. */
  readonly decisions = new DecisionHistory({ log: silentLog });
  readonly #options: VirtualNodeOptions;
  #metrics = new KubeletMetrics();
  #running: Running | null = null;
  #durable: Pick<OpenStorage, 'actuated' | 'allocated'> | null = null;
  #folderChanged: () => void = () => {};

  private constructor(cluster: VirtualCluster, options: VirtualNodeOptions) {
    this.cluster = cluster;
    this.clock = cluster.clock;
    this.#options = options;
    this.name = options.nodeName ?? 'node1';
    this.machine = new SimulatedMachine({ ...options, clock: this.clock });
    this.files = new SimulatedPodFiles(this.machine);
    this.folder = options.hasManifests ? mkdtempSync(path.join(tmpdir(), 'podkeep-test-')) : null;
  }

  /** With its own cluster, and a namespace for its pods. */
  static async open(options: VirtualNodeOptions = {}): Promise<VirtualNode> {
    // Podkeep loads it with the first manifest, which would take real time in the middle of virtual time.
    await import('yaml');
    const cluster = await VirtualCluster.open(options.seed, options.controllers);
    await cluster.createNamespace(NAMESPACE);
    const node = new VirtualNode(cluster, options);
    await node.start();
    await node.pass(UNTIL_READY_MS);
    return node;
  }

  get kubelet(): Kubelet {
    if (!this.#running) throw new Error('podkeep does not run');
    return this.#running.kubelet;
  }

  get agent(): NodeAgent {
    if (!this.#running) throw new Error('podkeep does not run');
    return this.#running.agent;
  }

  /** Of podkeep since its last start. */
  get metrics(): KubeletMetrics {
    return this.#metrics;
  }

  /** Podkeep starts over the existing state. */
  async start(): Promise<void> {
    const { kubelet, agent } = (this.#running = await this.#make());
    agent.start();
    // Not awaited: without an API server the node never registers.
    void agent.registered.then(() => kubelet.start());
    await this.pass(0);
  }

  /** Podkeep stops; containers stay. */
  async stop(): Promise<void> {
    if (!this.#running) return;
    const { kubelet, runtime, storage, events, agent } = this.#running;
    this.#running = null;
    await this.#ended(Promise.all([kubelet.stop(), agent.stop()]));
    events.stop();
    storage.close();
    await runtime.close();
  }

  /** An operation that cannot be cancelled, such as the start of a container, is waited for. */
  async #ended(work: Promise<unknown>): Promise<void> {
    const ending = { isOver: false };
    void work.finally(() => (ending.isOver = true));
    await this.pass(0);
    for (let ms = 0; !ending.isOver && ms < STOP_MS_MAX; ms += STOP_STEP_MS) {
      await this.pass(STOP_STEP_MS);
    }
    if (!ending.isOver) throw new Error('podkeep does not end');
    await work;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.cluster.close();
    if (this.folder !== null) rmSync(this.folder, { recursive: true, force: true });
  }

  async pass(ms: number): Promise<void> {
    await this.clock.pass(ms);
  }

  /** Writes a manifest, or removes it. */
  async setManifest(file: string, pod: JsonObject | null): Promise<void> {
    if (this.folder === null) throw new Error('this node has no folder of manifests');
    const place = path.join(this.folder, file);
    if (pod) writeFileSync(place, JSON.stringify(pod));
    else rmSync(place);
    this.#folderChanged();
    await this.pass(0);
  }

  async #make(): Promise<Running> {
    const { clock, random } = this.cluster;
    const { faults, hasEvents, isNetworkReady } = this.#options;
    const log = this.#log();
    this.#metrics = new KubeletMetrics();
    const api = this.#api(log);
    const { kube } = api;
    const source = { component: 'kubelet', host: this.name, qps: 50, burst: 100 };
    const events = new ApiEventRecorder({ api: kube, clock, random, log, ...source });
    const made: { agent?: NodeAgent } = {};
    const theAgent = (): NodeAgent => {
      if (!made.agent) throw new Error('the node was asked for before it was made');
      return made.agent;
    };
    const storage = await this.#openStorage(api, log, events, theAgent);
    const runtime = new SimulatedRuntime({
      machine: this.machine,
      ...(faults && { faults }),
      ...(hasEvents !== undefined && { hasEvents }),
      ...(isNetworkReady && { isNetworkReady }),
    });
    const kubelet = this.#makeKubelet({ api, log, events, storage, runtime }, theAgent);
    const agent = (made.agent = this.#makeAgent({ api, log, events }, kubelet));
    return { kubelet, runtime, storage, events, agent };
  }

  #makeKubelet(made: Made & MadeStorage, agent: () => NodeAgent): Kubelet {
    const { clock, random } = this.cluster;
    const { runtime } = made;
    const metrics = this.#metrics;
    return new Kubelet({
      ...made,
      settings: this.#options.settings,
      shutdown: this.#options.shutdown,
      clock,
      random,
      metrics,
      nodeName: this.name,
      decisions: this.decisions,
      nodeEvents: made.events,
      probeMetrics: new ProbeMetrics(new Registry()),
      manifests: this.#manifests(),
      dns: {
        clusterServers: [],
        clusterDomain: 'cluster.local',
        host: { servers: ['192.168.0.1'], searches: [], options: [] },
      },
      memoryCapacityBytes: 8 * 2 ** 30,
      eviction: {
        machine: this.#options.machineFacts ?? simulatedMachine,
        rootFolder: ROOT_FOLDER,
        settings: {
          thresholds: parseThresholds(NODE_SETTINGS_DEFAULT.evictionHard),
          transitionMs: 300_000,
          maxPodGraceSeconds: 0,
          ...this.#options.eviction,
        },
      },
      hostIPs: () => agent().hostIPs(),
      readinessChanged: () => agent().changed(),
      node: viewOf(agent),
      ask: simulatedProbes(clock, runtime, this.#options.askNetwork),
    });
  }

  #makeAgent({ api, log, events }: Made, kubelet: Kubelet): NodeAgent {
    const { clock, random } = this.cluster;
    return new NodeAgent({
      api: api.kube,
      startInformer: api.startInformer,
      clock,
      random,
      log,
      events,
      nodeName: this.name,
      machine: simulatedMachine,
      runtime: kubelet.runtime,
      settings: NODE_SETTINGS_DEFAULT,
      kubeletVersion: 'v1.36.0',
      kubeletPort: 10_250,
      addresses: [],
      rootFolder: ROOT_FOLDER,
      readiness: () => kubelet.notReadyReasons(),
      eviction: kubelet.eviction,
      checkRuntime: () => kubelet.checkRuntime(),
    });
  }

  #api(log: Log): KubeletApi {
    const user = { name: `system:node:${this.name}`, groups: ['system:nodes'] };
    const { kube, startInformer } = this.cluster.session(user, this.#options.network, log);
    return { kube, startInformer, client: createApiClient(kube) };
  }

  async #openStorage(
    api: KubeletApi,
    log: Log,
    events: ApiEventRecorder,
    agent: () => NodeAgent,
  ): Promise<OpenStorage> {
    const { clock, random } = this.cluster;
    const node: NodeFacts = {
      hostIPs: () => agent().hostIPs(),
      allocatable: () => agent().allocatable(),
      services: () => [],
    };
    const storage = await openStorage({
      rootFolder: ROOT_FOLDER,
      logFolder: '/var/log/pods',
      simulatedFiles: this.files,
      clock,
      random,
      log,
      events,
      node,
      api,
      observer: this.#metrics.storage,
      clusterDomain: 'cluster.local',
      supportsRecursiveReadOnly: () => false,
      mountsImages: () => false,
      mountsImageSubPaths: () => false,
    });
    const { allocated: around = (real) => real } = this.#options;
    const { actuated } = storage;
    const allocated = around(storage.allocated);
    this.#durable ??= { actuated, allocated };
    const { disk } = this.#options;
    return { ...storage, ...this.#durable, disk, rankingDisk: disk };
  }

  #manifests(): KubeletOptions['manifests'] {
    if (this.folder === null) return undefined;
    return {
      path: this.folder,
      prepare,
      watch: (_path, changed) => {
        this.#folderChanged = changed;
        return () => {};
      },
    };
  }

  #log(): Log {
    const report = (message: string, facts?: LogFacts): void => {
      this.problems.push(`${message} ${JSON.stringify(facts, printErrors)}`);
    };
    return { debug: () => {}, info: () => {}, warn: report, error: report };
  }
}

export const NAMESPACE = 'rec';

/** As the API server would default and validate it. */
function prepare(pod: JsonObject): JsonObject {
  const full = defaultPod(pod);
  const [error] = validatePod(full);
  if (error) throw new Error(`${error.field}: ${error.type}`);
  return full;
}

function printErrors(_key: string, value: unknown): unknown {
  return value instanceof Error ? value.message : value;
}
