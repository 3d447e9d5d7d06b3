/** Builds the parts of a node: runtime, storage, kubelet and node agent, in this order. */
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { createApiClient } from '../../client/api-client.ts';
import { informersOf } from '../../client/informer.ts';
import { DecisionHistory } from '../../kubelet/decision-history.ts';
import { ApiEventRecorder } from '../../kubelet/events/api-event-recorder.ts';
import type { NodePodCgroups } from '../../kubelet/cgroups/node-pod-cgroups.ts';
import { PullRecords } from '../../kubelet/images/pull-records.ts';
import { Kubelet } from '../../kubelet/kubelet.ts';
import type { KubeletApi } from '../../kubelet/kubelet-options.ts';
import { KubeletMetrics } from '../../kubelet/metrics/kubelet-metrics.ts';
import { NodeAgent } from '../../kubelet/node/node-agent.ts';
import { ApiRuntimeClasses } from '../../kubelet/containers/config/api-runtime-classes.ts';
import {
  readMachineKernel,
  type MachineKernel,
} from '../../kubelet/containers/config/machine-kernel.ts';
import { ProbeMetrics } from '../../kubelet/probes/probe-metrics.ts';
import type { NodeTracing } from '../../kubelet/tracing/node-tracing.ts';
import { openStorage, type OpenStorage } from '../../kubelet/storage.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import { Registry } from '../../lib/metrics/registry.ts';
import { systemMachine } from '../../platform/machine/system-machine.ts';
import { systemClock as clock } from '../../platform/system-clock.ts';
import { systemRandom as random } from '../../platform/system-random.ts';
import type { ClosingList } from '../closing-list.ts';
import { kubernetesVersion } from '../server-version.ts';
import { nodeViewOf } from './node-view.ts';
import { openTracing } from './node-tracing.ts';
import { limitOfAllPods, openNodeCgroups } from './node-cgroups.ts';
import { nodeDnsReader } from './node-dns.ts';
import { prepareManifest } from '../config/manifest-preparation.ts';
import { openRuntime, type OpenRuntime } from './node-runtime.ts';
import { nodeEvictionOf } from './node-eviction.ts';
import { containerSettingsOf, kubeletSettingsOf, nodeSettingsOf } from './node-settings.ts';
import { servicesFrom } from './service-view.ts';
import { watchedShutdown } from './watched-shutdown.ts';
import type { NodeOptions, NodeParts } from './node.ts';

const FLUSH_MS = 2000;
const OWNER_ONLY = 0o700;

export class NodeMaker {
  readonly #options: NodeOptions;
  readonly #closing: ClosingList;
  readonly #machine = systemMachine();
  readonly #metrics: KubeletMetrics;
  readonly #probeRegistry = new Registry();
  readonly #decisions: DecisionHistory;
  readonly #kubeApi: KubeletApi;
  readonly #events: ApiEventRecorder;
  /** Pods have the network of the machine, and their ports are the machine's. */
  #sharesNetwork = false;
  #agent: NodeAgent | undefined;
  #cgroups: NodePodCgroups | undefined;
  #kubelet: Kubelet | undefined;
  #tracing: NodeTracing | undefined;

  constructor(options: NodeOptions, closing: ClosingList) {
    const { api, log, name, config } = options;
    this.#options = options;
    this.#metrics = options.metrics ?? new KubeletMetrics();
    this.#closing = closing;
    this.#decisions = new DecisionHistory({ log });
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
      isBusy: () => this.#kubelet?.isStartingPods ?? false,
      metrics: this.#metrics.registry,
    });
    closing.add(() => Promise.resolve(this.#events.stop()));
  }

  async make(): Promise<NodeParts> {
    // Closed after all that makes spans.
    this.#tracing = await openTracing(this.#options, this.#metrics.registry, this.#closing);
    // Even a simulated node needs a disk to measure: without it the node would never be ready.
    await mkdir(this.#options.folder, { recursive: true, mode: OWNER_ONLY });
    const opened = await this.#openRuntime();
    const storage = await this.#openStorage(opened);
    const kubelet = await this.#makeKubelet(opened, storage);
    this.#kubelet = kubelet;
    const agent = this.#makeAgent(kubelet);
    return {
      kubelet,
      agent,
      opened,
      cgroups: this.#cgroups,
      storage,
      metrics: this.#metrics,
      events: this.#events,
      decisions: this.#decisions,
      probeRegistry: this.#probeRegistry,
    };
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
    // A container runtime may answer later; its pods have addresses.
    const status = await opened.runtime.status().catch(() => null);
    this.#sharesNetwork = status?.features.hasPodAddresses === false;
    return opened;
  }

  async #openStorage(opened: OpenRuntime): Promise<OpenStorage> {
    const { folder: rootFolder, config, log, apiForPods } = this.#options;
    const services = this.#kubeApi.startInformer({ path: '/api/v1/services' });
    // Before anything can fail: an informer that is never stopped keeps the process from ending.
    this.#closing.add(() => Promise.resolve(services.stop()));
    const storage = await openStorage({
      rootFolder,
      logFolder: config.podLogsDir || path.join(rootFolder, 'logs'),
      // Where log collectors look, if logs are where a kubelet has them.
      linkFolder: config.podLogsDir && path.join(path.dirname(config.podLogsDir), 'containers'),
      simulatedFiles: opened.simulated?.files,
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
      supportsRecursiveReadOnly: () => this.#kubelet?.supportsRecursiveReadOnly ?? false,
      mountsImageSubPaths: () => this.#kubelet?.mountsImageSubPaths ?? false,
      mountsImages: () => this.#kubelet?.mountsImages ?? false,
      api: this.#kubeApi,
      observer: this.#metrics.storage,
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
    const readHost = await nodeDnsReader({
      clock,
      log,
      config,
      hostIPs,
      hasPodAddresses: !this.#sharesNetwork,
    });
    const platform = {
      machine,
      hasAppArmor: kernel.hasAppArmor && opened.runtime.usesPodCgroups === true,
      sharesNetwork: this.#sharesNetwork,
    };
    return new Kubelet({
      clock,
      random,
      log,
      events: this.#events,
      decisions: this.#decisions,
      metrics: this.#metrics,
      probeMetrics: new ProbeMetrics(this.#probeRegistry),
      runtime: opened.runtime,
      ...this.#tracing?.around,
      nodeName,
      api: this.#kubeApi,
      manifests: staticPodPath
        ? { path: staticPodPath, prepare: prepareManifest, rescanMs }
        : undefined,
      storage,
      dns: {
        clusterServers: clusterDNS,
        clusterDomain,
        isWithoutDns: this.#options.isWithoutDns ?? false,
        host: await readHost(),
        readHost,
      },
      runtimeClasses: new ApiRuntimeClasses(this.#options.api),
      nodeEvents: this.#events,
      cgroups: this.#cgroups,
      pullRecords: opened.runtime.usesPodCgroups ? this.#pullRecords() : undefined,
      memoryCapacityBytes: machine.memoryBytes,
      eviction: nodeEvictionOf({
        config,
        machine: this.#machine,
        rootFolder: this.#options.folder,
        cgroups: this.#cgroups,
      }),
      hostIPs,
      node: nodeViewOf(() => this.#agent, platform, config),
      readinessChanged: () => this.#agent?.changed(),
      shutdown: watchedShutdown({ ...this.#options, clock }),
      settings: {
        ...kubeletSettingsOf(config),
        containers: containerSettingsOf(config, kernel, this.#options.folder, opened.runtime.name),
      },
    });
  }

  async #openCgroups(runtime: PodRuntime, kernel: MachineKernel) {
    const { config, log } = this.#options;
    const { cgroups: observer } = this.#metrics;
    const opened = await openNodeCgroups({ runtime, config, kernel, clock, log, observer });
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
      runtime: kubelet.runtime,
      settings: {
        ...nodeSettingsOf(config),
        nodeLabels: this.#options.nodeLabels ?? {},
        sharesNetwork: this.#sharesNetwork,
      },
      kubeletVersion: kubernetesVersion(version),
      kubeletPort,
      addresses: this.#options.nodeIPs ?? [],
      rootFolder: folder,
      enforceAllocatable: this.#cgroups && (() => this.#limitAllPods()),
      readiness: () => kubelet.notReadyReasons(),
      eviction: kubelet.eviction,
      checkRuntime: () => kubelet.checkRuntime(),
    });
    this.#agent = agent;
    this.#closing.add(async () => {
      await agent.stop();
      const deadline = new AbortController();
      const cancel = clock.after(FLUSH_MS, () => deadline.abort());
      await this.#events.flush(deadline.signal).finally(cancel);
    });
    return agent;
  }
}
