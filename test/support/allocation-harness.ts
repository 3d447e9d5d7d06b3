/** A node of two CPUs around an allocation manager; records all calls that the manager makes. */
import type { Pod } from '../../src/api/pod.ts';
import { formatTime } from '../../src/api/values/time.ts';
import type { Rejection } from '../../src/core/admission/rejection.ts';
import { sysctlAllowlist } from '../../src/core/admission/sysctls.ts';
import { AllocationManager } from '../../src/kubelet/allocation/allocation-manager.ts';
import { createMemoryStateStore } from '../../src/kubelet/allocation-state/memory-state-store.ts';
import type { KillPodOptions } from '../../src/kubelet/pod-workers/kill-pod-now.ts';
import { PodResizeConditions } from '../../src/kubelet/status-manager/pod-resize-conditions.ts';
import type { StateStore } from '../../src/ports/pod/state-store.ts';
import { MemoryPodManager } from './memory-pod-manager.ts';
import { silentLog, silentStatusObserver } from './silent-ports.ts';
import { VirtualClock } from './virtual-clock.ts';

export interface PodAskingTraits {
  readonly generation?: number;
  readonly priority?: number;
}

/** A pod whose UID is its name, with one container `c` that requests this much CPU. */
export function podAsking(name: string, cpu: string, traits: PodAskingTraits = {}): Pod {
  const { generation = 1, priority } = traits;
  const spec = {
    containers: [{ name: 'c', resources: { requests: { cpu } } }],
    ...(priority !== undefined && { priority }),
  };
  return { metadata: { name, namespace: 'default', uid: name, generation }, spec };
}

export class AllocationHarness {
  readonly clock = new VirtualClock();
  readonly pods = new MemoryPodManager();
  readonly status = conditionsWriter(this.clock);
  readonly events: (readonly [type: string, reason: string, message: string])[] = [];
  readonly observed: (readonly [what: string, about: unknown])[] = [];
  readonly synced: string[] = [];
  readonly kills: { readonly options: KillPodOptions; readonly done: () => void }[] = [];
  readonly store: StateStore;
  readonly manager: AllocationManager;
  areSourcesReady = true;
  os = 'linux';
  #fault: Error | null = null;

  constructor({ store = createMemoryStateStore() }: { readonly store?: StateStore } = {}) {
    this.store = store;
    this.manager = new AllocationManager({
      store: this.#faulty(store),
      status: this.status,
      clock: this.clock,
      log: silentLog,
      events: { record: (_, type, reason, message) => this.events.push([type, reason, message]) },
      observer: {
        resizeRequested: (change) => this.observed.push(['resizeRequested', change]),
        resizeRefused: (detail) => this.observed.push(['resizeRefused', detail]),
        deferredResizeAccepted: (by) => this.observed.push(['deferredResizeAccepted', by]),
        podPreempted: (resource) => this.observed.push(['podPreempted', resource]),
      },
      pods: this.pods,
      activePods: () => this.pods.uids().map((uid) => this.pod(uid)),
      node: this.#node(),
      killPod: (_, options) =>
        new Promise((done) => {
          this.kills.push({ options, done });
        }),
      syncPod: ({ metadata }) => this.synced.push(metadata.uid ?? ''),
      areSourcesReady: () => this.areSourcesReady,
    });
  }

  pod(uid: string): Pod {
    return this.pods.find(uid)?.pod ?? podAsking(uid, '0');
  }

  /** As the sync loop does it. */
  add(pod: Pod): Rejection | null {
    this.pods.set(pod);
    return this.manager.admit(pod);
  }

  change(pod: Pod): Pod {
    const before = this.pods.find(pod.metadata.uid ?? '')?.pod;
    this.pods.set(pod);
    void this.manager.podChanged(before, pod);
    return pod;
  }

  remove(uid: string): void {
    this.pods.remove(uid);
  }

  pendingReasonOf(uid: string): string | undefined {
    const conditions = this.status.resizeConditions(uid);
    return conditions.find(({ type }) => type === 'PodResizePending')?.reason;
  }

  eventTexts(): readonly string[] {
    return this.events.map((event) => event.join(' '));
  }

  /** From now on writes fail; `null` repairs it. */
  failWrites(fault: Error | null): void {
    this.#fault = fault;
  }

  #node() {
    const sysctls = sysctlAllowlist([]);
    const os = (): string => this.os;
    return {
      node: () => ({ metadata: { name: 'n1' } }),
      allocatable: () => ({ cpu: '2', memory: '4Gi', pods: '110' }),
      pressures: () => [],
      platform: {
        get os() {
          return os();
        },
        appArmorFault: null,
        sysctls,
        declaredFeatures: new Set<string>(),
      },
      resizeLimits: {
        swap: 'NoSwap',
        cpuManagerPolicy: 'none',
        memoryManagerPolicy: 'None',
      } as const,
    };
  }

  #faulty(store: StateStore): StateStore {
    return {
      containerResources: (uid, name) => store.containerResources(uid, name),
      podLevelResources: (uid) => store.podLevelResources(uid),
      podResources: (uid) => store.podResources(uid),
      all: () => store.all(),
      setContainerResources: (...args) => store.setContainerResources(...args),
      setPodLevelResources: (...args) => store.setPodLevelResources(...args),
      setPodResources: (...args) =>
        this.#fault ? Promise.reject(this.#fault) : store.setPodResources(...args),
      removePod: (uid) => store.removePod(uid),
      removeOrphanedPods: (remaining) => store.removeOrphanedPods(remaining),
      clear: () => store.clear(),
    };
  }
}

/** The status manager's interface to the resize conditions. */
function conditionsWriter(clock: VirtualClock) {
  const conditions = new PodResizeConditions(silentStatusObserver, () => formatTime(clock.now()));
  return {
    resizeConditions: conditions.list.bind(conditions),
    setResizePending: conditions.setPending.bind(conditions),
    setResizeInProgress: conditions.setInProgress.bind(conditions),
    clearResizePending: conditions.clearPending.bind(conditions),
    clearResizeInProgress: conditions.clearInProgress.bind(conditions),
    backfillResizeConditions: conditions.backfill.bind(conditions),
  };
}
