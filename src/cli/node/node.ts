/**
 * A node, put together: what runs pods, where their files are, the kubelet, the Node object, and the
 * kubelet's own server.
 *
 *     events ──> runtime ──> storage ──> kubelet ──> node agent ──> its server
 *
 * Opened in this order and closed in the opposite one. The API server may be in this process or
 * anywhere: the node only has a way to it.
 */
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { defaultPod } from '../../apiserver/kinds/pod/defaults.ts';
import { validatePod } from '../../apiserver/kinds/pod/validation.ts';
import { createApiClient } from '../../client/api-client.ts';
import { informersOf } from '../../client/informer.ts';
import { DecisionHistory } from '../../kubelet/decision-history.ts';
import { ApiEventRecorder } from '../../kubelet/events/api-event-recorder.ts';
import type { NodePodCgroups } from '../../kubelet/cgroups/node-pod-cgroups.ts';
import { PullRecords } from '../../kubelet/images/pull-records.ts';
import { Kubelet } from '../../kubelet/kubelet.ts';
import type { AdmissionRoom, KubeletAdmission, KubeletApi } from '../../kubelet/kubelet-options.ts';
import { KubeletMetrics } from '../../kubelet/metrics/kubelet-metrics.ts';
import { createKubeletAdmission } from '../../kubelet/admission/kubelet-admission.ts';
import { NodeAgent } from '../../kubelet/node/node-agent.ts';
import { ApiRuntimeClasses } from '../../kubelet/pod-runner/api-runtime-classes.ts';
import { readMachineKernel, type MachineKernel } from '../../kubelet/pod-runner/machine-kernel.ts';
import { ProbeMetrics } from '../../kubelet/probes/probe-metrics.ts';
import { hostDnsReader } from '../../kubelet/host-dns.ts';
import { openStorage, type OpenStorage } from '../../kubelet/storage.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import type { StateStore } from '../../ports/state-store.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { Registry } from '../../lib/metrics/registry.ts';
import { systemMachine } from '../../platform/machine/system-machine.ts';
import { systemClock as clock } from '../../platform/system-clock.ts';
import { systemRandom as random } from '../../platform/system-random.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import type { Log } from '../../ports/log.ts';
import type { HttpHandler } from '../../ports/http-handler.ts';
import { ClosingList } from '../closing-list.ts';
import type { KubeletConfig } from '../config/kubelet-config.ts';
import { kubernetesVersion } from '../server-version.ts';
import { admissionNodeOf, nodeViewOf, type NodePlatform } from './node-view.ts';
import { limitOfAllPods, openNodeCgroups } from './node-cgroups.ts';
import { handleLater } from './later-handler.ts';
import { openRuntime, type OpenRuntime } from './node-runtime.ts';
import { containerSettingsOf, kubeletSettingsOf, nodeSettingsOf } from './node-settings.ts';
import type { ApiAddress } from './pod-door.ts';
import { servicesFrom } from './service-view.ts';

export interface NodeOptions {
  readonly name: string;
  /** Where the node keeps its files; absolute. */
  readonly folder: string;
  /** Folders that no container is to see. */
  readonly hiddenFolders: readonly string[];
  /** `process`, `simulated`, the endpoint of a container runtime, or one that somebody has made. */
  readonly runtime: string | PodRuntime;
  readonly config: KubeletConfig;
  /** The way to the API server, as this node. */
  readonly api: KubeApi;
  /** Of podkeep. */
  readonly version: string;
  /** Of the kubelet's own server. */
  readonly kubeletPort: number;
  /** Where the user who started podkeep finds commands: containers do not, and are told so. */
  readonly searchPath: string;
  readonly log: Log;
  /** Told under which address pods reach this machine, before the first of them starts. */
  readonly reachable: (address: string) => Promise<void>;
  /** Where pods find the API server; null: where its service says. */
  readonly apiForPods: () => ApiAddress | null;
  /** Absent: of its own. */
  readonly metrics?: KubeletMetrics;
  /** Addresses of the node that people chose, at most one of each family. */
  readonly nodeIPs?: readonly string[];
  /** Labels with which the node registers. */
  readonly nodeLabels?: Readonly<Record<string, string>>;
}

export interface NodeParts {
  readonly kubelet: Kubelet;
  readonly agent: NodeAgent;
  readonly metrics: KubeletMetrics;
  readonly probeRegistry: Registry;
  readonly opened: OpenRuntime;
  readonly storage: OpenStorage;
}

export interface Node {
  /** The kubelet's own server, without a door. */
  readonly server: HttpHandler;
  /** Under which the node is found, as its status has them. */
  readonly addresses: () => Json | undefined;
  /** Nothing new is begun; containers go on. */
  stop(): Promise<void>;
  /** Stops the containers of all pods, and leaves the pods as they are. Only after `stop`. */
  stopContainers(signal: AbortSignal): Promise<void>;
  /** Gives back everything. Only after `stop`. */
  close(): Promise<void>;
}

const FLUSH_MS = 2000;
const OWNER_ONLY = 0o700;

/** Resolves when the node is registered and takes pods. */
export async function startNode(options: NodeOptions): Promise<Node> {
  const closing = new ClosingList();
  try {
    const parts = await new NodeMaker(options, closing).make();
    const { kubelet, agent } = parts;
    await kubelet.prepare();
    agent.start();
    await agent.registered;
    await kubelet.start();
    return {
      server: handleLater(async () => {
        const { createNodeServer } = await import('./node-server.ts');
        return createNodeServer({ ...options, parts });
      }),
      addresses: () => agent.addresses(),
      stop: () => kubelet.stop(),
      stopContainers: (signal) => kubelet.stopContainers(signal),
      close: () => closing.run(),
    };
  } catch (error) {
    await closing.run();
    throw error;
  }
}

class NodeMaker {
  readonly #options: NodeOptions;
  readonly #closing: ClosingList;
  readonly #machine = systemMachine();
  readonly #metrics: KubeletMetrics;
  readonly #probeRegistry = new Registry();
  readonly #kubeApi: KubeletApi;
  readonly #events: ApiEventRecorder;
  #agent: NodeAgent | undefined;
  #cgroups: NodePodCgroups | undefined;
  #kubelet: Kubelet | undefined;

  constructor(options: NodeOptions, closing: ClosingList) {
    const { api, log, name, config } = options;
    this.#options = options;
    this.#metrics = options.metrics ?? new KubeletMetrics();
    this.#closing = closing;
    const startInformer = informersOf({ api, clock, random, log });
    this.#kubeApi = { kube: api, client: createApiClient(api), startInformer };
    this.#events = new ApiEventRecorder({
      api,
      clock,
      random,
      log,
      component: 'kubelet',
      host: name,
      qps: config.eventRecordQPS,
      burst: config.eventBurst,
      isBusy: () => this.#kubelet?.engine.starts?.isBusy ?? false,
    });
    closing.add(() => Promise.resolve(this.#events.stop()));
  }

  async make(): Promise<NodeParts> {
    // Even a node that writes nothing has a disk: a simulated one that could not measure it would never
    // be ready.
    await mkdir(this.#options.folder, { recursive: true, mode: OWNER_ONLY });
    const opened = await this.#openRuntime();
    const storage = await this.#openStorage(opened);
    const kubelet = await this.#makeKubelet(opened, storage);
    this.#kubelet = kubelet;
    const agent = this.#makeAgent(kubelet);
    const metrics = this.#metrics;
    return { kubelet, agent, metrics, probeRegistry: this.#probeRegistry, opened, storage };
  }

  async #openRuntime(): Promise<OpenRuntime> {
    const { runtime: choice, config } = this.#options;
    const world = { clock, random, events: this.#events };
    const opened = await openRuntime({
      ...this.#options,
      ...world,
      choice,
      config,
      imageServiceEndpoint: config.imageServiceEndpoint,
      runtimeRequestTimeoutMs: config.runtimeRequestTimeoutMs,
    });
    this.#closing.add(() => opened.runtime.close());
    return opened;
  }

  async #openStorage(opened: OpenRuntime): Promise<OpenStorage> {
    const { folder: rootFolder, config, log, apiForPods } = this.#options;
    const services = this.#kubeApi.startInformer({ path: '/api/v1/services' });
    // Before anything can fail: an informer that nobody stops keeps the process from ending.
    this.#closing.add(() => Promise.resolve(services.stop()));
    const storage = await openStorage({
      rootFolder,
      logFolder: config.podLogsDir || path.join(rootFolder, 'logs'),
      // Where collectors of logs look, if logs are where a kubelet has them.
      linkFolder: config.podLogsDir && path.join(path.dirname(config.podLogsDir), 'containers'),
      imaginedFiles: opened.imagined?.files,
      clock,
      random,
      log,
      events: this.#events,
      node: {
        hostIPs: () => this.#agent?.hostIPs() ?? [],
        allocatable: () => this.#agent?.allocatable() ?? {},
        services: () => servicesFrom(services, apiForPods),
      },
      clusterDomain: config.clusterDomain,
      supportsRecursiveReadOnly: () =>
        this.#kubelet?.engine.health.features?.hasRecursiveReadOnly ?? false,
      api: this.#kubeApi,
      home: homedir(),
    });
    this.#closing.add(() => Promise.resolve(storage.close()));
    return storage;
  }

  async #makeKubelet(opened: OpenRuntime, storage: OpenStorage): Promise<Kubelet> {
    const { name: nodeName, config, log } = this.#options;
    const { staticPodPath, fileCheckFrequencyMs: rescanMs, clusterDNS, clusterDomain } = config;
    const machine = await this.#machine.info();
    const kernel = await readMachineKernel();
    this.#cgroups = await this.#openCgroups(opened.runtime, kernel);
    const hostIPs = (): readonly string[] => this.#agent?.hostIPs() ?? [];
    const readHost = hostDnsReader({ clock, file: config.resolvConf, hostIPs });
    return new Kubelet({
      clock,
      random,
      log,
      events: this.#events,
      decisions: new DecisionHistory({ log }),
      metrics: this.#metrics,
      probeMetrics: new ProbeMetrics(this.#probeRegistry),
      runtime: opened.runtime,
      nodeName,
      api: this.#kubeApi,
      manifests: staticPodPath
        ? { path: staticPodPath, prepare: prepareManifest, rescanMs }
        : undefined,
      storage,
      dns: {
        clusterServers: clusterDNS,
        clusterDomain,
        host: await readHost(),
        readHost,
      },
      runtimeClasses: new ApiRuntimeClasses(this.#options.api),
      nodeEvents: this.#events,
      cgroups: this.#cgroups,
      pullRecords: opened.runtime.usesPodCgroups ? this.#pullRecords() : undefined,
      memoryCapacityBytes: machine.memoryBytes,
      hostIPs,
      admission: (room) =>
        this.#makeAdmission(room, storage.allocated, {
          machine,
          hasAppArmor: kernel.hasAppArmor && opened.runtime.usesPodCgroups === true,
        }),
      readinessChanged: () => this.#agent?.changed(),
      settings: {
        ...kubeletSettingsOf(config),
        containers: containerSettingsOf(config, kernel, this.#options.folder, opened.runtime.name),
      },
    });
  }

  async #openCgroups(runtime: PodRuntime, kernel: MachineKernel) {
    const { config, log } = this.#options;
    const opened = await openNodeCgroups({ runtime, config, kernel, clock, log });
    if (opened) this.#closing.add(() => Promise.resolve(opened.close()));
    return opened?.cgroups;
  }

  #pullRecords(): PullRecords {
    const { folder: rootFolder, config, log } = this.#options;
    const { imagePullCredentialsVerificationPolicy: policy } = config;
    return new PullRecords({ rootFolder, policy, clock, log });
  }

  async #limitAllPods(): Promise<void> {
    await this.#cgroups?.limitAll(limitOfAllPods(this.#options.config, await this.#machine.info()));
  }

  #makeAdmission(room: AdmissionRoom, store: StateStore, platform: NodePlatform): KubeletAdmission {
    const { log, config, api, name } = this.#options;
    const path = `/api/v1/nodes/${encodeURIComponent(name)}`;
    const options = {
      clock,
      log,
      store,
      events: this.#events,
      metrics: this.#metrics,
      node: nodeViewOf(() => this.#agent, platform, config),
      readNode: async () => admissionNodeOf(await api.send({ method: 'GET', path })),
    };
    return createKubeletAdmission(options, room);
  }

  #makeAgent(kubelet: Kubelet): NodeAgent {
    const { api, name: nodeName, config, folder, log, version, kubeletPort } = this.#options;
    const agent = new NodeAgent({
      api,
      clock,
      random,
      log,
      events: this.#events,
      startInformer: this.#kubeApi.startInformer,
      nodeName,
      machine: this.#machine,
      runtime: kubelet.engine.runtime,
      settings: { ...nodeSettingsOf(config), nodeLabels: this.#options.nodeLabels ?? {} },
      kubeletVersion: kubernetesVersion(version),
      kubeletPort,
      addresses: this.#options.nodeIPs ?? [],
      rootFolder: folder,
      enforceAllocatable: this.#cgroups && (() => this.#limitAllPods()),
      readiness: () => kubelet.notReadyReasons(),
      checkRuntime: () => kubelet.engine.health.check(),
    });
    this.#agent = agent;
    this.#closing.add(async () => {
      await agent.stop();
      await this.#events.flush(AbortSignal.timeout(FLUSH_MS));
    });
    return agent;
  }
}

/** A manifest is taken as the API server would take it. */
function prepareManifest(pod: JsonObject): JsonObject {
  const full = defaultPod(pod);
  const [fault] = validatePod(full);
  if (fault) throw new Error(`${fault.field}: ${fault.type}`);
  return full;
}
