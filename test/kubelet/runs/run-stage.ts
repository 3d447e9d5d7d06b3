/**
 * A node in virtual time: the real pod workers, status manager, pod runner, recipes and pod cache
 * over a simulated runtime and an API in memory. Volumes and inputs are stand-ins.
 *
 * What the main loop of the kubelet does is done here by hand, in its smallest form: news from the
 * API, the runtime and the probes wake the workers, and housekeeping comes every two seconds.
 */
import type { Pod, PodStatus } from '../../../src/api/pod.ts';
import { isMirrorPod } from '../../../src/core/pod-facts.ts';
import { createMemoryStateStore } from '../../../src/kubelet/allocation-state/memory-state-store.ts';
import { PodLifecycle } from '../../../src/kubelet/pleg/pod-lifecycle.ts';
import { PodRunner, type PodRunnerOptions } from '../../../src/kubelet/pod-runner/pod-runner.ts';
import { timedRuntime } from '../../../src/kubelet/pod-runner/timed-runtime.ts';
import { TerminationMessages } from '../../../src/kubelet/pod-runner/termination-messages.ts';
import {
  KubeletPodSync,
  type KubeletPodSyncOptions,
} from '../../../src/kubelet/pod-sync/kubelet-pod-sync.ts';
import { networkProbes, type AskContainer } from '../../../src/kubelet/probes/probe-clients.ts';
import { ProbeManager } from '../../../src/kubelet/probes/probe-manager.ts';
import { ProbeMetrics } from '../../../src/kubelet/probes/probe-metrics.ts';
import { followProbes } from '../../../src/kubelet/probes/probe-sync.ts';
import { PodWorkers } from '../../../src/kubelet/pod-workers/pod-workers.ts';
import { Registry } from '../../../src/lib/metrics/registry.ts';
import { StatusManager } from '../../../src/kubelet/status-manager/status-manager.ts';
import type { ContainerReference } from '../../../src/ports/container-reference.ts';
import type { EventRecorder } from '../../../src/ports/event-recorder.ts';
import type { DeletePreconditions, PodName } from '../../../src/ports/api-client.ts';
import type { PodVolumes } from '../../../src/ports/pod-volumes.ts';
import type { StateStore } from '../../../src/ports/state-store.ts';
import type { RuntimeFaults } from '../../../src/runtimes/simulated/faults.ts';
import { SimulatedMachine, type MachineOptions } from '../../../src/runtimes/simulated/machine.ts';
import { SimulatedPodFiles } from '../../../src/runtimes/simulated/simulated-pod-files.ts';
import { SimulatedRuntime } from '../../../src/runtimes/simulated/simulated-runtime.ts';
import { MemoryApi } from '../../support/memory-api.ts';
import { MemoryPodManager } from '../../support/memory-pod-manager.ts';
import { silentDecisions, silentLog, silentStatusObserver } from '../../support/silent-ports.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

export interface ToldEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly fieldPath: string | undefined;
}

export interface RunStageOptions extends Omit<MachineOptions, 'clock'> {
  readonly faults?: RuntimeFaults;
  readonly hasEvents?: boolean;
  readonly inputs?: PodRunnerOptions['inputs'];
  readonly volumes?: PodVolumes;
  /** Who answers to probes; absent: commands inside the containers. */
  readonly ask?: AskContainer;
  readonly dnsServers?: readonly string[];
  readonly sync?: Partial<KubeletPodSyncOptions>;
  /** A node that was there before: podkeep is started anew over what it left. */
  readonly after?: RunStage;
}

const HOUSEKEEPING_MS = 2000;

export class RunStage {
  readonly clock: VirtualClock;
  readonly machine: SimulatedMachine;
  readonly files: SimulatedPodFiles;
  readonly actuated: StateStore;
  readonly api: MemoryApi;
  readonly pods: MemoryPodManager;
  readonly events: ToldEvent[] = [];
  readonly runtime: SimulatedRuntime;
  readonly cache: PodLifecycle;
  readonly runner: PodRunner;
  readonly status: StatusManager;
  readonly workers: PodWorkers;
  readonly prober: ProbeManager;
  readonly sync: KubeletPodSync;
  /** Every status that the API had, by pod name. */
  readonly history = new Map<string, { readonly status: PodStatus; readonly atMs: number }[]>();
  readonly #desired = new Map<string, Pod>();
  #isClosed = false;

  constructor(options: RunStageOptions = {}) {
    const { after } = options;
    this.clock = after?.clock ?? new VirtualClock();
    const { clock } = this;
    this.machine = after?.machine ?? new SimulatedMachine({ ...options, clock });
    const { machine } = this;
    this.files = after?.files ?? new SimulatedPodFiles(machine);
    this.actuated = after?.actuated ?? createMemoryStateStore();
    this.api = after?.api ?? new FinalizingApi({ clock });
    this.pods = new MemoryPodManager();
    const { files, pods, actuated } = this;
    const events = this.#recorder();
    const { faults = () => undefined, hasEvents = true } = options;
    this.runtime = new SimulatedRuntime({ machine, faults, hasEvents });
    const runtime = timedRuntime(this.runtime, clock);
    const messages = new TerminationMessages({ runtime, files, pods });
    const inspect = (uid: string) => messages.inspect(uid);
    this.cache = new PodLifecycle({ clock, log: silentLog, runtime, inspect });
    this.prober = this.#makeProber(events, options.ask ?? networkProbes(clock, runtime));
    this.status = this.#makeStatusManager();
    this.runner = new PodRunner({
      clock,
      log: silentLog,
      events,
      runtime,
      files,
      actuated,
      inputs: options.inputs ?? plainInputs,
      memoryCapacityBytes: 8_000_000_000,
      dns: {
        clusterServers: options.dnsServers ?? [],
        clusterDomain: 'cluster.local',
        host: { servers: ['192.168.0.1'], searches: [], options: [] },
      },
    });
    this.sync = this.#makeSync(events, options);
    this.workers = this.#makeWorkers(events);
    this.#start();
  }

  /** The user creates a pod on this node. */
  create(pod: Pod): void {
    this.api.put(pod);
  }

  /** The user asks for its end. */
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

  /** A manifest appears on the node. */
  addStatic(pod: Pod): void {
    this.pods.set(pod);
    this.#desired.set(uidOf(pod), pod);
    this.workers.updatePod({ updateType: 'create', pod });
  }

  /** And goes: the pod is killed, and its mirror deleted when it is done. */
  removeStatic(uid: string): void {
    const pod = this.pods.find(uid)?.pod;
    if (!pod) return;
    this.#desired.delete(uid);
    this.workers.updatePod({ updateType: 'kill', pod });
  }

  statusOf(name: string, namespace = 'rec'): PodStatus | undefined {
    return this.api.find({ name, namespace })?.status;
  }

  async pass(ms: number): Promise<void> {
    await this.clock.pass(ms);
  }

  /** Podkeep goes; containers and the API stay. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.api.onChange = () => {};
    this.cache.stop();
    this.prober.stop();
    void this.workers.close();
    await this.runtime.close();
    await this.status.stop();
  }

  #recorder(): EventRecorder {
    return {
      record: (about, type, reason, message) => {
        const { fieldPath } = about as Partial<ContainerReference>;
        this.events.push({ type, reason, message, fieldPath });
      },
    };
  }

  #makeProber(events: EventRecorder, ask: AskContainer): ProbeManager {
    return new ProbeManager({
      clock: this.clock,
      random: { next: () => 0 },
      log: silentLog,
      events,
      ask,
      metrics: new ProbeMetrics(new Registry()),
      statusOf: (uid) => this.status.getPodStatus(uid),
    });
  }

  #makeStatusManager(): StatusManager {
    return new StatusManager({
      clock: this.clock,
      random: { next: () => 0 },
      api: this.api,
      pods: this.pods,
      probes: { of: (uid) => this.prober.of(uid) },
      decisions: silentDecisions,
      log: silentLog,
      observer: silentStatusObserver,
      couldHaveRunningContainers: (_pod, uid) => this.workers.couldHaveRunningContainers(uid),
      qps: -1,
    });
  }

  #makeSync(events: EventRecorder, options: RunStageOptions): KubeletPodSync {
    return new KubeletPodSync({
      clock: this.clock,
      log: silentLog,
      events,
      runner: this.runner,
      cache: this.cache,
      status: this.status,
      files: this.files,
      volumes: options.volumes ?? noVolumes,
      prober: this.prober,
      networkError: () => null,
      isTerminationRequested: (uid) => this.workers.isPodTerminationRequested(uid),
      relist: (uid) => void this.cache.relist(uid),
      requestSync: (pod) => this.workers.updatePod({ updateType: 'update', pod }),
      hostIPs: () => ['192.168.0.2'],
      actuated: this.actuated,
      mirrors: { reconcile: (pod) => Promise.resolve(this.#mirror(pod)) },
      ...options.sync,
    });
  }

  #makeWorkers(events: EventRecorder): PodWorkers {
    const nothing = (): void => {};
    return new PodWorkers({
      clock: this.clock,
      random: { next: () => 0 },
      podSync: this.sync,
      podCache: this.cache,
      events,
      decisions: silentDecisions,
      log: silentLog,
      observer: { podStarted: nothing, turnEnded: nothing, wakeScheduled: nothing },
      pods: this.pods,
    });
  }

  #start(): void {
    this.status.start();
    this.status.subscribe(this.prober);
    followProbes({
      probes: this.prober,
      status: this.status,
      requestSync: (uid) => this.#wake(uid),
    });
    this.cache.subscribe(({ podUid, type }) => {
      if (type !== 'ContainerRemoved' && type !== 'ContainerChanged') this.#wake(podUid);
    });
    this.cache.start();
    this.api.onChange = (pod, isGone) => (isGone ? this.#gone(pod) : this.#seen(pod));
    for (const pod of this.api.pods()) this.#seen(pod);
    this.#keepHouse();
  }

  #wake(uid: string): void {
    const pod = this.pods.find(uid)?.pod;
    if (pod && !this.#isClosed) this.workers.updatePod({ updateType: 'sync', pod });
  }

  /** What the watch of the API tells. */
  #seen(pod: Pod): void {
    this.#remember(pod);
    this.status.apiPodSeen(pod);
    if (isMirrorPod(pod)) return;
    const known = this.pods.find(uidOf(pod))?.pod;
    this.pods.set(pod);
    this.#desired.set(uidOf(pod), pod);
    const isNew = known === undefined;
    const isChanged = known?.metadata.deletionTimestamp !== pod.metadata.deletionTimestamp;
    const isAnswer = known?.spec === pod.spec && known?.metadata.labels === pod.metadata.labels;
    if (isNew || isChanged || !isAnswer) {
      this.workers.updatePod({ updateType: isNew ? 'create' : 'update', pod });
    } else if (pod.spec.readinessGates?.length) {
      this.workers.updatePod({ updateType: 'sync', pod });
    }
  }

  #gone(pod: Pod): void {
    this.status.apiPodGone(pod);
    this.#desired.delete(uidOf(pod));
    const known = this.pods.find(uidOf(pod));
    if (!known) return;
    this.pods.remove(uidOf(pod));
    this.workers.updatePod({ updateType: 'kill', pod });
  }

  #remember(pod: Pod): void {
    const { name = '' } = pod.metadata;
    const entries = this.history.get(name) ?? [];
    this.history.set(name, entries);
    entries.push({ status: pod.status ?? {}, atMs: this.clock.monotonic() });
  }

  /** The API's image of a static pod. */
  #mirror(pod: Pod): void {
    const { name = '', namespace = '', uid = '' } = pod.metadata;
    if (this.api.find({ name, namespace })) return;
    const annotations = { 'kubernetes.io/config.mirror': 'hash' };
    const mirror = this.api.put({
      ...pod,
      metadata: { name, namespace, uid: `mirror-${uid}`, annotations, generation: 1 },
      status: { phase: 'Pending', qosClass: 'BestEffort' },
    });
    this.pods.set(pod, mirror);
    this.status.apiPodSeen(mirror);
  }

  #keepHouse(): void {
    if (this.#isClosed) return;
    this.workers.syncKnownPods([...this.#desired.values()]);
    this.clock.after(HOUSEKEEPING_MS, () => this.#keepHouse());
  }
}

/** Whoever has put a finalizer on a pod decides when it goes. */
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

const noVolumes: PodVolumes = {
  waitForMounts: () => Promise.resolve(),
  waitForUnmount: () => Promise.resolve(),
  volumesExist: () => false,
};

const plainInputs: PodRunnerOptions['inputs'] = {
  resolve: ({ container }) => {
    const { command = [], args = [] } = container as { command?: string[]; args?: string[] };
    const nothing = { env: [], mounts: [], devices: [], supplementalGroups: [] };
    return Promise.resolve({ command, args, ...nothing });
  },
};

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? '';
}
