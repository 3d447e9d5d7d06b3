/**
 * The real status manager among fakes: a virtual clock, an API in memory with faults on order, a watch
 * that shows the API's changes immediately or on demand, and a record of all requests and notifications.
 *
 * There is no jitter unless a test brings its own randomness, and the client limit is off unless a test
 * is about it, so that only the rules decide the result.
 */
import type { ContainerStatus, Pod, PodPhase, PodStatus } from '../../src/api/pod.ts';
import type { StatusManagerOptions } from '../../src/kubelet/status-manager/settings.ts';
import { StatusManager } from '../../src/kubelet/status-manager/status-manager.ts';
import type { Json } from '../../src/lib/json.ts';
import type { ApiClient, PodName } from '../../src/ports/api/api-client.ts';
import type { DecisionRecord } from '../../src/ports/observe/decision-log.ts';
import type { StatusObserver } from '../../src/ports/observe/status-observer.ts';
import { MemoryApi, type ApiCall, type Fault } from '../support/memory-api.ts';
import { MemoryPodManager } from '../support/memory-pod-manager.ts';
import { container, podOf } from '../support/pod-parts.ts';
import { noProbes, silentLog, silentStatusObserver } from '../support/silent-ports.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

/** One request, from when it was sent until it was answered, refused or cut. */
export interface Sent extends ApiCall {
  readonly atMs: number;
  readonly patch?: Json;
  /** The preconditions of a DELETE. */
  readonly uid?: string;
  readonly gracePeriodSeconds?: number;
  endedMs: number | null;
  /** The manager aborted it. */
  isCut: boolean;
}

export class StatusHarness {
  readonly clock = new VirtualClock();
  /** The fault of requests from now on. */
  fault: (call: ApiCall) => Fault | undefined = () => undefined;
  readonly api = new MemoryApi({ clock: this.clock, fault: (call) => this.fault(call) });
  readonly pods = new MemoryPodManager();
  /** UIDs of pods of which something may still run. */
  readonly running = new Set<string>();
  readonly sent: Sent[] = [];
  readonly decisions: DecisionRecord[] = [];
  readonly problems: string[] = [];
  /** Seconds from a change to its acknowledgement. */
  readonly written: number[] = [];
  readonly manager: StatusManager;
  #lagging: (() => void)[] | null = null;

  constructor(options: Partial<StatusManagerOptions> = {}) {
    const observer: StatusObserver = {
      ...silentStatusObserver,
      statusWritten: (seconds) => this.written.push(seconds),
    };
    this.manager = new StatusManager({
      clock: this.clock,
      random: { next: () => 0 },
      api: this.#watchedApi(),
      pods: this.pods,
      probes: noProbes,
      decisions: { record: (decision) => this.decisions.push(decision) },
      log: { ...silentLog, error: (message) => this.problems.push(message) },
      observer,
      couldHaveRunningContainers: (_pod, uid) => this.running.has(uid),
      qps: -1,
      ...options,
    });
    this.api.onChange = (pod, isGone) => {
      if (this.#lagging) this.#lagging.push(() => this.#watch(pod, isGone));
      else this.#watch(pod, isGone);
    };
  }

  /** From now on the watch shows nothing, until `catchUp`. */
  lag(): void {
    this.#lagging ??= [];
  }

  catchUp(): void {
    const missed = this.#lagging ?? [];
    this.#lagging = null;
    for (const show of missed) show();
  }

  /** A user creates the pod in the API, and the watch shows it. */
  create(name: string, fields: Parameters<typeof podOf>[1] & { readonly uid?: string } = {}): Pod {
    const { uid = name, metadata, status = { phase: 'Pending' } } = fields;
    const meta = { name, uid, generation: 1, ...metadata };
    return this.api.put(podOf({ containers: [container('c')] }, { metadata: meta, status }));
  }

  /** Creates that many pods, named p0 and so on. */
  createMany(count: number): readonly Pod[] {
    return Array.from({ length: count }, (_, index) => this.create(`p${index}`));
  }

  /** A user requests the pod's deletion. */
  requestDeletion(name: string): Pod {
    const pod = this.get(name);
    const metadata = { ...pod.metadata, deletionTimestamp: '2030-01-02T03:04:35Z' };
    return this.api.put({ ...pod, metadata });
  }

  /** The pod as the API has it now. */
  get(name: string): Pod {
    const pod = this.api.find({ namespace: 'default', name });
    if (!pod) throw new Error(`the API has no pod ${name}`);
    return pod;
  }

  /** A worker has computed a status, for the pod as the node knows it. */
  say(uid: string, status: PodStatus): boolean {
    const pod = this.pods.find(uid)?.pod;
    if (!pod) throw new Error(`the node has no pod ${uid}`);
    return this.manager.setPodStatus(pod, status).changed;
  }

  /** Lets everything settle that needs no time. */
  settle(): Promise<void> {
    return this.clock.pass(0);
  }

  /** The requests since the last call, as `patch web`. */
  takeSent(): readonly string[] {
    return this.sent.splice(0).map(({ verb, name }) => `${verb} ${name}`);
  }

  /** How many requests are under way. */
  get busy(): number {
    return this.sent.filter(({ endedMs }) => endedMs === null).length;
  }

  #watch(pod: Pod, isGone: boolean): void {
    const uid = this.pods.sourceUidOf(pod.metadata.uid ?? '');
    const known = this.pods.find(uid);
    const isMirror = uid !== pod.metadata.uid;
    if (isGone) {
      if (isMirror && known) this.pods.set(known.pod);
      return this.manager.apiPodGone(pod);
    }
    if (isMirror && known) this.pods.set(known.pod, pod);
    else this.pods.set(pod);
    this.manager.apiPodSeen(pod);
  }

  #watchedApi(): ApiClient {
    const { api } = this;
    return {
      getPod: (pod, signal) => this.#follow('get', pod, {}, signal, api.getPod(pod, signal)),
      patchPodStatus: (pod, patch, signal) =>
        this.#follow('patch', pod, { patch }, signal, api.patchPodStatus(pod, patch, signal)),
      deletePod: (pod, conditions, signal) =>
        this.#follow('delete', pod, conditions, signal, api.deletePod(pod, conditions, signal)),
    };
  }

  async #follow<T>(
    verb: Sent['verb'],
    pod: PodName,
    details: Pick<Sent, 'patch' | 'uid' | 'gracePeriodSeconds'>,
    signal: AbortSignal,
    answer: Promise<T>,
  ): Promise<T> {
    const { clock } = this;
    const sent: Sent = {
      verb,
      ...pod,
      ...details,
      atMs: clock.monotonic(),
      endedMs: null,
      isCut: false,
    };
    this.sent.push(sent);
    try {
      return await answer;
    } finally {
      sent.endedMs = clock.monotonic();
      sent.isCut = signal.aborted;
    }
  }
}

/** A status with one container `c`, as a worker would compute it. */
export function statusOf(
  phase: PodPhase,
  fields: { readonly ready?: boolean; readonly restarts?: number; readonly uid?: string } = {},
): PodStatus {
  const { ready = false, restarts = 0, uid = 'any' } = fields;
  const status = ready ? 'True' : 'False';
  const isOver = phase === 'Failed' || phase === 'Succeeded';
  const state: ContainerStatus['state'] = isOver
    ? { terminated: { exitCode: phase === 'Failed' ? 1 : 0 } }
    : { running: { startedAt: '2030-01-02T03:04:00Z' } };
  return {
    phase,
    conditions: [
      { type: 'Ready', status },
      { type: 'ContainersReady', status },
    ],
    containerStatuses: [
      {
        name: 'c',
        containerID: idOf(uid),
        ready,
        started: true,
        restartCount: restarts,
        state,
      },
    ],
  };
}

/** The container ID that `statusOf` gives the pod's container. */
export function idOf(uid: string): string {
  return `test://${uid}`;
}
