/**
 * A node, put together: what runs pods, where their files are, the kubelet, the Node object, and the
 * kubelet's own server.
 *
 *     events ──> runtime ──> storage ──> kubelet ──> node agent ──> its server
 *
 * Opened in this order and closed in the opposite one. The API server may be in this process or
 * anywhere: the node only has a way to it.
 */
import path from 'node:path';
import { defaultPod } from '../../apiserver/kinds/pod/defaults.ts';
import { validatePod } from '../../apiserver/kinds/pod/validation.ts';
import { createApiClient } from '../../client/api-client.ts';
import { informersOf } from '../../client/informer.ts';
import { DecisionHistory } from '../../kubelet/decision-history.ts';
import { ApiEventRecorder } from '../../kubelet/events/api-event-recorder.ts';
import { Kubelet } from '../../kubelet/kubelet.ts';
import { KubeletMetrics } from '../../kubelet/metrics/kubelet-metrics.ts';
import { NodeAgent } from '../../kubelet/node/node-agent.ts';
import { ProbeMetrics } from '../../kubelet/probes/probe-metrics.ts';
import { openStorage, readNodeDns, type OpenStorage } from '../../kubelet/storage.ts';
import type { JsonObject } from '../../lib/json.ts';
import { Registry } from '../../lib/metrics/registry.ts';
import { systemMachine } from '../../platform/machine/system-machine.ts';
import { systemClock as clock } from '../../platform/system-clock.ts';
import { systemRandom as random } from '../../platform/system-random.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import type { Log } from '../../ports/log.ts';
import type { NodeFacts } from '../../ports/node-facts.ts';
import { ClosingList } from '../closing-list.ts';
import type { KubeletConfig } from '../config/kubelet-config.ts';
import { createAdmission } from './admission.ts';
import { openRuntime, type OpenRuntime } from './node-runtime.ts';
import { kubeletSettingsOf, nodeSettingsOf } from './node-settings.ts';
import type { ApiAddress } from './pod-door.ts';
import { servicesFrom } from './service-view.ts';

export interface NodeOptions {
  readonly name: string;
  /** Where the node keeps its files; absolute. */
  readonly folder: string;
  /** Folders that no container is to see. */
  readonly hiddenFolders: readonly string[];
  /** `process` or `simulated`. */
  readonly runtime: string;
  readonly config: KubeletConfig;
  /** The way to the API server, as this node. */
  readonly api: KubeApi;
  /** Of podkeep. */
  readonly version: string;
  /** In the form that Kubernetes' clients expect. */
  readonly kubeletVersion: string;
  readonly kubeletPort: number;
  /** What containers look for commands in. */
  readonly searchPath: string;
  readonly log: Log;
  /** Told under which address pods reach this machine, before the first of them starts. */
  readonly reachable: (address: string) => Promise<void>;
  /** Where pods find the API server; null: where its service says. */
  readonly apiForPods: () => ApiAddress | null;
}

export interface Node {
  readonly kubelet: Kubelet;
  readonly agent: NodeAgent;
  readonly metrics: KubeletMetrics;
  readonly decisions: DecisionHistory;
  readonly opened: OpenRuntime;
  readonly storage: OpenStorage;
  /** Nothing new is begun; containers go on. */
  stop(): Promise<void>;
  /** Stops the containers of all pods, and leaves the pods as they are. Only after `stop`. */
  stopContainers(signal: AbortSignal): Promise<void>;
  /** Gives back everything. Only after `stop`. */
  close(): Promise<void>;
}

const FLUSH_MS = 2000;

export async function startNode(options: NodeOptions): Promise<Node> {
  const closing = new ClosingList();
  try {
    return await open(options, closing);
  } catch (error) {
    await closing.run();
    throw error;
  }
}

async function open(options: NodeOptions, closing: ClosingList): Promise<Node> {
  const { name, folder, config, log, api, version } = options;
  const machine = systemMachine();
  const startInformer = informersOf({ api, clock, random, log });
  const events = new ApiEventRecorder({
    api,
    clock,
    random,
    log,
    component: 'kubelet',
    host: name,
    qps: config.eventRecordQPS,
    burst: config.eventBurst,
  });
  closing.add(() => Promise.resolve(events.stop()));
  const opened = await openRuntime({
    choice: options.runtime,
    folder,
    hiddenFolders: options.hiddenFolders,
    config: config.podkeep,
    version,
    searchPath: options.searchPath,
    clock,
    random,
    log,
    events,
    reachable: options.reachable,
  });
  closing.add(() => opened.runtime.close());
  const services = startInformer({ path: '/api/v1/services' });
  closing.add(() => Promise.resolve(services.stop()));
  const facts: NodeFacts = {
    hostIPs: () => agent.hostIPs(),
    allocatable: () => agent.allocatable(),
    services: () => servicesFrom(services, options.apiForPods),
  };
  const kubeApi = { kube: api, client: createApiClient(api), startInformer };
  const storage = await openStorage({
    rootFolder: folder,
    logFolder: path.join(folder, 'logs'),
    imaginedFiles: opened.imagined?.files,
    clock,
    random,
    log,
    events,
    node: facts,
    clusterDomain: config.clusterDomain,
    supportsRecursiveReadOnly: false,
    api: kubeApi,
  });
  closing.add(() => Promise.resolve(storage.close()));
  const metrics = new KubeletMetrics();
  const decisions = new DecisionHistory({ log });
  const info = await machine.info();
  const kubelet: Kubelet = new Kubelet({
    clock,
    random,
    log,
    events,
    decisions,
    metrics,
    probeMetrics: new ProbeMetrics(new Registry()),
    runtime: opened.runtime,
    nodeName: name,
    api: kubeApi,
    manifests: config.staticPodPath
      ? {
          path: config.staticPodPath,
          prepare: prepareManifest,
          rescanMs: config.fileCheckFrequencyMs,
        }
      : undefined,
    storage,
    dns: {
      clusterServers: config.clusterDNS,
      clusterDomain: config.clusterDomain,
      host: await readNodeDns(config.resolvConf),
    },
    memoryCapacityBytes: info.memoryBytes,
    hostIPs: () => agent.hostIPs(),
    admission: (room) =>
      createAdmission({
        room,
        agent: () => agent,
        store: storage.allocated,
        events,
        metrics,
        log,
        config,
      }),
    readinessChanged: () => agent.changed(),
    settings: kubeletSettingsOf(config),
  });
  const agent = new NodeAgent({
    api,
    clock,
    random,
    log,
    events,
    startInformer,
    nodeName: name,
    machine,
    runtime: kubelet.engine.runtime,
    settings: nodeSettingsOf(config),
    kubeletVersion: options.kubeletVersion,
    kubeletPort: options.kubeletPort,
    addresses: [],
    rootFolder: folder,
    readiness: () => kubelet.notReadyReasons(),
    checkRuntime: () => kubelet.engine.health.check(),
  });
  closing.add(async () => {
    await agent.stop();
    await events.flush(AbortSignal.timeout(FLUSH_MS));
  });
  agent.start();
  await agent.registered;
  await kubelet.start();
  return {
    kubelet,
    agent,
    metrics,
    decisions,
    opened,
    storage,
    stop: () => kubelet.stop(),
    stopContainers: (signal) => kubelet.stopContainers(signal),
    close: () => closing.run(),
  };
}

/** A manifest is taken as the API server would take it. */
function prepareManifest(pod: JsonObject): JsonObject {
  const full = defaultPod(pod);
  const [fault] = validatePod(full);
  if (fault) throw new Error(`${fault.field}: ${fault.type}`);
  return full;
}
