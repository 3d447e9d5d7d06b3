/**
 * A whole node in virtual time: the kubelet with all its rooms over a simulated machine, as a client of
 * a whole API server (virtual-cluster.ts), in which it is nobody but its own node.
 *
 * Podkeep can be taken away and started again; machine, files and cluster stay. Containers do what
 * scripts say, files are imagined, and only manifests of static pods are on a disk.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { defaultPod } from '../../../src/apiserver/kinds/pod/defaults.ts';
import { validatePod } from '../../../src/apiserver/kinds/pod/validation.ts';
import { createApiClient } from '../../../src/client/api-client.ts';
import type { Transport } from '../../../src/client/transport/transport.ts';
import { ApiEventRecorder } from '../../../src/kubelet/events/api-event-recorder.ts';
import { createKubeletAdmission } from '../../../src/kubelet/admission/kubelet-admission.ts';
import { NODE_SETTINGS_DEFAULT } from '../../../src/core/node/node-settings.ts';
import { NodeAgent } from '../../../src/kubelet/node/node-agent.ts';
import { Kubelet } from '../../../src/kubelet/kubelet.ts';
import type {
  KubeletAdmission,
  KubeletApi,
  KubeletOptions,
  KubeletSettings,
} from '../../../src/kubelet/kubelet-options.ts';
import { KubeletMetrics } from '../../../src/kubelet/metrics/kubelet-metrics.ts';
import type { AskContainer } from '../../../src/kubelet/probes/probe-clients.ts';
import { ProbeMetrics } from '../../../src/kubelet/probes/probe-metrics.ts';
import { openStorage, type OpenStorage } from '../../../src/kubelet/storage.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { Registry } from '../../../src/lib/metrics/registry.ts';
import type { Log, LogFacts } from '../../../src/ports/log.ts';
import type { PodDiskUsage } from '../../../src/ports/pod-disk-usage.ts';
import type { NodeFacts } from '../../../src/ports/node-facts.ts';
import type { RuntimeFaults } from '../../../src/runtimes/simulated/faults.ts';
import { SimulatedMachine, type MachineOptions } from '../../../src/runtimes/simulated/machine.ts';
import { SimulatedPodFiles } from '../../../src/runtimes/simulated/simulated-pod-files.ts';
import { SimulatedRuntime } from '../../../src/runtimes/simulated/simulated-runtime.ts';
import { silentDecisions } from '../../support/silent-ports.ts';
import { admissionNode, imaginedMachine, viewOf } from './imagined-machine.ts';
import { imaginedProbes } from './imagined-network.ts';
import { VirtualCluster } from './virtual-cluster.ts';

export interface VirtualNodeOptions extends Omit<MachineOptions, 'clock'> {
  readonly seed?: number;
  readonly nodeName?: string;
  readonly faults?: RuntimeFaults;
  readonly isNetworkReady?: () => boolean;
  readonly hasEvents?: boolean;
  readonly hasManifests?: boolean;
  /** Who answers to probes over the network; absent: nobody. */
  readonly askNetwork?: AskContainer;
  /** What the files of pods take; absent: nothing is measured. */
  readonly disk?: PodDiskUsage;
  readonly settings?: KubeletSettings;
  /** Wrapped around what decides about pods. */
  readonly admission?: (real: KubeletAdmission) => KubeletAdmission;
  /** What stands between the kubelet and the API server. */
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
  /** What podkeep complained of. */
  readonly complaints: string[] = [];
  readonly folder: string | null;
  readonly #options: VirtualNodeOptions;
  #metrics = new KubeletMetrics();
  #running: Running | null = null;
  #kept: Pick<OpenStorage, 'actuated' | 'allocated'> | null = null;
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

  /** With a cluster of its own, and a namespace for its pods. */
  static async open(options: VirtualNodeOptions = {}): Promise<VirtualNode> {
    // Podkeep loads it with the first manifest, which would take real time in the middle of virtual time.
    await import('yaml');
    const cluster = await VirtualCluster.open(options.seed);
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

  /** Of podkeep since its last start. */
  get metrics(): KubeletMetrics {
    return this.#metrics;
  }

  /** Podkeep begins, over what is there. */
  async start(): Promise<void> {
    const { kubelet, agent } = (this.#running = await this.#make());
    agent.start();
    // Whoever waits for podkeep in a world without an API server waits for ever.
    void agent.registered.then(() => kubelet.start());
    await this.pass(0);
  }

  /** Podkeep goes; containers stay. */
  async stop(): Promise<void> {
    if (!this.#running) return;
    const { kubelet, runtime, storage, events, agent } = this.#running;
    this.#running = null;
    await this.#ended(Promise.all([kubelet.stop(), agent.stop()]));
    events.stop();
    storage.close();
    await runtime.close();
  }

  /** What cannot be cancelled takes its time: a container that is being started is waited for. */
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

  /** Writes a manifest, or takes it away. */
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
    const { runtime, storage, log, events } = made;
    const metrics = (this.#metrics = new KubeletMetrics());
    const { admission: around = (real) => real } = this.#options;
    return new Kubelet({
      ...made,
      settings: this.#options.settings,
      clock,
      random,
      metrics,
      nodeName: this.name,
      decisions: silentDecisions,
      probeMetrics: new ProbeMetrics(new Registry()),
      manifests: this.#manifests(),
      dns: {
        clusterServers: [],
        clusterDomain: 'cluster.local',
        host: { servers: ['192.168.0.1'], searches: [], options: [] },
      },
      memoryCapacityBytes: 8 * 2 ** 30,
      hostIPs: () => agent().hostIPs(),
      readinessChanged: () => agent().changed(),
      admission: (room) => {
        const path = `/api/v1/nodes/${this.name}`;
        const readNode = async () =>
          admissionNode(await made.api.kube.send({ method: 'GET', path }));
        const parts = { clock, log, events, metrics, store: storage.allocated, readNode };
        return around(createKubeletAdmission({ ...parts, node: viewOf(agent) }, room));
      },
      ask: imaginedProbes(clock, runtime, this.#options.askNetwork),
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
      machine: imaginedMachine,
      runtime: kubelet.engine.runtime,
      settings: NODE_SETTINGS_DEFAULT,
      kubeletVersion: 'v1.36.0',
      kubeletPort: 10_250,
      addresses: [],
      rootFolder: ROOT_FOLDER,
      readiness: () => kubelet.notReadyReasons(),
      checkRuntime: () => kubelet.engine.health.check(),
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
      imaginedFiles: this.files,
      clock,
      random,
      log,
      events,
      node,
      api,
      clusterDomain: 'cluster.local',
      supportsRecursiveReadOnly: () => false,
    });
    const { actuated, allocated } = storage;
    this.#kept ??= { actuated, allocated };
    return { ...storage, ...this.#kept, disk: this.#options.disk };
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
    const complain = (message: string, facts?: LogFacts): void => {
      this.complaints.push(`${message} ${JSON.stringify(facts, printErrors)}`);
    };
    return { debug: () => {}, info: () => {}, warn: complain, error: complain };
  }
}

export const NAMESPACE = 'rec';

/** As the API server would take it. */
function prepare(pod: JsonObject): JsonObject {
  const full = defaultPod(pod);
  const [error] = validatePod(full);
  if (error) throw new Error(`${error.field}: ${error.type}`);
  return full;
}

function printErrors(_key: string, value: unknown): unknown {
  return value instanceof Error ? value.message : value;
}
