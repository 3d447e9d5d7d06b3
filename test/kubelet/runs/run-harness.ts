/**
 * A node in virtual time: the kubelet's own pod engine over a simulated runtime and an API in memory. Volumes
 * and inputs are fakes.
 *
 * The harness replaces the sync loop of the kubelet in its smallest form: changes in the API, the runtime
 * and the probes wake the workers, and housekeeping runs every two seconds.
 */
import type { Pod, PodStatus } from '../../../src/api/pod.ts';
import type { ContainerReference } from '../../../src/api/container-reference.ts';
import { createMemoryStateStore } from '../../../src/kubelet/allocation-state/memory-state-store.ts';
import type { KubeletStorage } from '../../../src/kubelet/kubelet-options.ts';
import { KubeletMetrics } from '../../../src/kubelet/metrics/kubelet-metrics.ts';
import type { PodStartMetrics } from '../../../src/kubelet/metrics/pod-start-metrics.ts';
import { PodEngine } from '../../../src/kubelet/pod-engine.ts';
import type { AskContainer } from '../../../src/kubelet/probes/probe-clients.ts';
import { ProbeMetrics } from '../../../src/kubelet/probes/probe-metrics.ts';
import { followProbes } from '../../../src/kubelet/probes/probe-sync.ts';
import type { NodeTracing } from '../../../src/kubelet/tracing/node-tracing.ts';
import { Registry } from '../../../src/lib/metrics/registry.ts';
import type { DeletePreconditions, PodName } from '../../../src/ports/api/api-client.ts';
import type { PullSecrets } from '../../../src/ports/api/pull-secrets.ts';
import type { EventRecorder } from '../../../src/ports/observe/event-recorder.ts';
import type { PodVolumes } from '../../../src/ports/pod/pod-volumes.ts';
import type { StateStore } from '../../../src/ports/pod/state-store.ts';
import type { RuntimeFaults } from '../../../src/runtimes/simulated/faults.ts';
import {
  SimulatedMachine,
  type SimulatedMachineOptions,
} from '../../../src/runtimes/simulated/machine.ts';
import { SimulatedPodFiles } from '../../../src/runtimes/simulated/simulated-pod-files.ts';
import { SimulatedRuntime } from '../../../src/runtimes/simulated/simulated-runtime.ts';
import { MemoryApi } from '../../support/memory-api.ts';
import { silentDecisions, silentLog } from '../../support/silent-ports.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

export interface RecordedEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly fieldPath: string | undefined;
}

export interface RunHarnessOptions extends Omit<SimulatedMachineOptions, 'clock'> {
  readonly faults?: RuntimeFaults;
  readonly hasEvents?: boolean;
  readonly isNetworkReady?: () => boolean;
  readonly inputs?: KubeletStorage['inputs'];
  readonly volumes?: PodVolumes;
  readonly pullSecrets?: PullSecrets;
  /** The server that probes reach; absent: commands inside the containers. */
  readonly ask?: AskContainer;
  readonly dnsServers?: readonly string[];
  /** Receives how long pods take to start. */
  readonly podStarts?: Pick<PodStartMetrics, 'workerStarted' | 'podBecameRunning'>;
  /** Traces of the node; absent: there are none. */
  readonly tracing?: (clock: VirtualClock) => NodeTracing;
  /** An earlier node: podkeep is started again over the state that it left. */
  readonly after?: RunHarness;
}

const HOUSEKEEPING_MS = 2000;

export class RunHarness {
  readonly clock: VirtualClock;
  readonly machine: SimulatedMachine;
  readonly files: SimulatedPodFiles;
  readonly actuated: StateStore;
  readonly api: MemoryApi;
  readonly events: RecordedEvent[] = [];
  readonly runtime: SimulatedRuntime;
  readonly engine: PodEngine;
  /** Every status that the API had, by pod name. */
  readonly history = new Map<string, { readonly status: PodStatus; readonly atMs: number }[]>();
  readonly #desired = new Map<string, Pod>();
  #isClosed = false;

  constructor(options: RunHarnessOptions = {}) {
    const { after, faults, hasEvents, isNetworkReady } = options;
    this.clock = after?.clock ?? new VirtualClock();
    const { clock } = this;
    this.machine = after?.machine ?? new SimulatedMachine({ ...options, clock });
    const { machine } = this;
    this.files = after?.files ?? new SimulatedPodFiles(machine);
    this.actuated = after?.actuated ?? createMemoryStateStore();
    this.api = after?.api ?? new FinalizingApi({ clock });
    this.runtime = new SimulatedRuntime({
      machine,
      ...(faults && { faults }),
      ...(hasEvents !== undefined && { hasEvents }),
      ...(isNetworkReady && { isNetworkReady }),
    });
    this.engine = this.#makeEngine(options);
    void this.#start();
  }

  #makeEngine(options: RunHarnessOptions): PodEngine {
    const { clock, files, actuated, runtime } = this;
    const metrics = new KubeletMetrics();
    const { podStarts } = options;
    return new PodEngine({
      clock,
      random: { next: () => 0 },
      log: silentLog,
      events: this.#recorder(),
      decisions: silentDecisions,
      metrics: podStarts ? Object.assign(metrics, { podStarts }) : metrics,
      probeMetrics: new ProbeMetrics(new Registry()),
      runtime,
      ...options.tracing?.(clock).around,
      api: { client: this.api },
      storage: {
        files,
        volumes: { ...noVolumes, ...options.volumes },
        inputs: options.inputs ?? plainInputs,
        pullSecrets: options.pullSecrets,
        allocated: createMemoryStateStore(),
        actuated,
      },
      dns: {
        clusterServers: options.dnsServers ?? [],
        clusterDomain: 'cluster.local',
        host: { servers: ['192.168.0.1'], searches: [], options: [] },
      },
      memoryCapacityBytes: 8_000_000_000,
      hostIPs: () => ['192.168.0.2'],
      readinessChanged: () => {},
      settings: { kubeApiQps: -1 },
      ask: options.ask,
      mirrors: undefined,
      allocated: (pod) => pod,
    });
  }

  /** The user creates a pod on this node. */
  create(pod: Pod): void {
    this.api.put(pod);
  }

  /** The user requests its deletion. */
  delete(name: string, namespace: string, graceSeconds?: number): void {
    const pod = this.api.find({ name, namespace });
    if (!pod) throw new Error(`${namespace}/${name} is not there`);
    const grace = graceSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30;
    const deletionTimestamp = new Date(this.clock.now() + grace * 1000).toISOString();
    const { metadata } = pod;
    const generation = (metadata.generation ?? 0) + 1;
    const deletion = { deletionTimestamp, deletionGracePeriodSeconds: grace, generation };
    this.api.put({ ...pod, metadata: { ...metadata, ...deletion } });
  }

  statusOf(name: string, namespace = 'rec'): PodStatus | undefined {
    return this.api.find({ name, namespace })?.status;
  }

  async pass(ms: number): Promise<void> {
    await this.clock.pass(ms);
  }

  /** Podkeep stops; containers and the API stay. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.api.onChange = () => {};
    const { cache, prober, health, workers, status } = this.engine;
    cache.stop();
    prober.stop();
    health.stop();
    void workers.close();
    await this.runtime.close();
    await status.stop();
  }

  #recorder(): EventRecorder {
    return {
      record: (about, type, reason, message) => {
        const { fieldPath } = about as Partial<ContainerReference>;
        this.events.push({ type, reason, message, fieldPath });
      },
    };
  }

  /** As the kubelet does: the runtime is checked and listed before any pod source starts. */
  async #start(): Promise<void> {
    const { status, prober, cache, health } = this.engine;
    await health.start();
    status.subscribe(prober);
    followProbes({ probes: prober, status, requestSync: (uid) => this.#wake(uid) });
    cache.subscribe(({ podUid, type }) => {
      if (type !== 'ContainerRemoved' && type !== 'ContainerChanged') this.#wake(podUid);
    });
    cache.start();
    await cache.listed;
    if (this.#isClosed) return;
    status.start();
    this.api.onChange = (pod, isGone) => (isGone ? this.#gone(pod) : this.#seen(pod));
    for (const pod of this.api.pods()) this.#seen(pod);
    this.#keepHouse();
  }

  #wake(uid: string): void {
    const pod = this.engine.pods.find(uid)?.pod;
    if (pod && !this.#isClosed) this.engine.workers.updatePod({ updateType: 'sync', pod });
  }

  /** An event of the watch on the API. */
  #seen(pod: Pod): void {
    this.#remember(pod);
    this.engine.status.apiPodSeen(pod);
    const known = this.engine.pods.find(uidOf(pod))?.pod;
    this.engine.pods.update(pod);
    this.#desired.set(uidOf(pod), pod);
    const isNew = known === undefined;
    const isChanged = known?.metadata.deletionTimestamp !== pod.metadata.deletionTimestamp;
    const isAnswer = known?.spec === pod.spec && known?.metadata.labels === pod.metadata.labels;
    if (isNew || isChanged || !isAnswer) {
      this.engine.workers.updatePod({ updateType: isNew ? 'create' : 'update', pod });
    } else if (pod.spec.readinessGates?.length) {
      this.engine.workers.updatePod({ updateType: 'sync', pod });
    }
  }

  #gone(pod: Pod): void {
    this.engine.status.apiPodGone(pod);
    this.#desired.delete(uidOf(pod));
    const known = this.engine.pods.find(uidOf(pod));
    if (!known) return;
    this.engine.pods.remove(known.pod);
    this.engine.workers.updatePod({ updateType: 'kill', pod });
  }

  #remember(pod: Pod): void {
    const { name = '' } = pod.metadata;
    const entries = this.history.get(name) ?? [];
    this.history.set(name, entries);
    entries.push({ status: pod.status ?? {}, atMs: this.clock.monotonic() });
  }

  #keepHouse(): void {
    if (this.#isClosed) return;
    this.engine.workers.syncKnownPods([...this.#desired.values()]);
    this.clock.after(HOUSEKEEPING_MS, () => this.#keepHouse());
  }
}

/** The owner of a pod's finalizer decides when it goes. */
class FinalizingApi extends MemoryApi {
  override deletePod(
    name: PodName,
    conditions: DeletePreconditions,
    signal: AbortSignal,
  ): Promise<void> {
    const { finalizers = [] } = this.find(name)?.metadata ?? {};
    return finalizers.length > 0 ? Promise.resolve() : super.deletePod(name, conditions, signal);
  }
}

const noVolumes: KubeletStorage['volumes'] = {
  waitForMounts: () => Promise.resolve(),
  waitForUnmount: () => Promise.resolve(),
  volumesExist: () => false,
  removeOrphans: () => Promise.resolve(),
  unmountAll: () => Promise.resolve(),
  stop: () => Promise.resolve(),
};

const plainInputs: KubeletStorage['inputs'] = {
  resolve: ({ container }) => {
    const { command = [], args = [] } = container as { command?: string[]; args?: string[] };
    const nothing = { env: [], mounts: [], devices: [], supplementalGroups: [] };
    return Promise.resolve({ command, args, ...nothing });
  },
};

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? '';
}
