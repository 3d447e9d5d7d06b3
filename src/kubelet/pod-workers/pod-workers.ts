/**
 * Manages the pod workers: one for each pod UID, driven by updates from the sync loop and other callers, and
 * by housekeeping.
 *
 *     updatePod ───┐                         ┌──> PodSync: sync, stop, release
 *     syncKnownPods├──> events ──> decide ───┼──> work queue ──> updatePod(sync)
 *     work settles ┘                         └──> queues of static pods ──> events
 *
 * All rules are in core/pod-worker, as pure functions. This class adds the workers, time, randomness and the
 * ports. Events of the state machines are handled synchronously and in order; only sync, stop and release are
 * asynchronous.
 *
 * The rest of the kubelet acts on the query methods. They all answer from the same states, so the status
 * manager, volumes, probes and garbage collection never disagree about a pod.
 */
import type { Pod } from '../../api/pod.ts';
import { delayMs } from '../../core/pod-worker/delay.ts';
import type { Delay } from '../../core/pod-worker/delay.ts';
import { mayRun } from '../../core/pod-worker/event.ts';
import type { Event } from '../../core/pod-worker/event.ts';
import * as podWorker from '../../core/pod-worker/pod-worker.ts';
import * as query from '../../core/pod-worker/query.ts';
import type { PodLookup } from '../../ports/pod/pod-lookup.ts';
import type { PodReference } from '../../api/pod-reference.ts';
import type { Random } from '../../ports/random.ts';
import { killPodNow } from './kill-pod-now.ts';
import type { KillPodOptions } from './kill-pod-now.ts';
import { KillRequests } from './kill-requests.ts';
import { StaticPodQueues } from './static-pod-queues.ts';
import { workerFullNameOf, killFrom, updateEventFrom } from './update-options.ts';
import type { UpdatePodOptions } from './update-options.ts';
import { WorkQueue } from './work-queue.ts';
import { Worker } from './worker.ts';
import type { NameHolder, WorkerPorts, WorkerDeps } from './worker-deps.ts';

export interface PodWorkersOptions extends WorkerPorts {
  readonly random: Random;
  /** The pods that the work queue may wake; others are dropped from it silently (PW-56). */
  readonly pods: PodLookup;
  /** The pod with its allocated resources (E-3). */
  readonly allocated?: (pod: Pod) => Pod;
  readonly resyncMs?: number;
  readonly backOffMs?: number;
}

interface QueuedEvent {
  readonly uid: string;
  readonly event: Event;
  /** The pod, if this may be the first event for it. */
  readonly about: PodReference | undefined;
}

const RESYNC_MS = 60_000;
const BACK_OFF_MS = 10_000;

export class PodWorkers {
  readonly #options: PodWorkersOptions;
  readonly #deps: WorkerDeps;
  readonly #workers = new Map<string, Worker>();
  readonly #staticPodQueues = new StaticPodQueues();
  readonly #workQueue: WorkQueue;
  readonly #queue: QueuedEvent[] = [];
  #isHandlingQueue = false;
  #podsSynced = false;
  #closed = false;

  constructor(options: PodWorkersOptions) {
    this.#options = options;
    this.#workQueue = new WorkQueue(options.clock, (uid) => this.#wake(uid));
    this.#deps = {
      ...options,
      kills: new KillRequests(),
      enqueue: (uid, event) => this.#enqueue(uid, event),
      delayMs: (delay) => this.#delayMs(delay),
      wakeAfter: (uid, ms) => this.#wakeAfter(uid, ms),
      notifyQueue: (pod, what) => this.#notifyQueue(pod, what),
      nameHolder: (pod) => this.#nameHolder(pod),
    };
  }

  /** Handles an update of a pod: it is new, has changed, is due for a sync, or has to be killed. */
  updatePod(options: UpdatePodOptions): void {
    if (this.#closed) return;
    const { podCache, allocated } = this.#options;
    const { kills } = this.#deps;
    const request = updateEventFrom(options, {
      pod: (pod) => allocated?.(pod) ?? pod,
      mayRun: (uid) => mayRun(podCache.peek(uid)),
      kill: (kill) => killFrom(kills.add(kill), kill),
    });
    if (request !== null) this.#enqueue(request.about.uid, request.event, request.about);
  }

  /**
   * Called by housekeeping: forgets finished workers, terminates pods that no source has any more, and
   * returns the remaining workers. If a desired pod is missing in the result, the caller has to create it
   * again (PW-65, PW-66).
   */
  syncKnownPods(desiredPods: readonly Pod[]): ReadonlyMap<string, query.Summary> {
    this.#podsSynced = true;
    const desired = new Set(desiredPods.map(({ metadata }) => metadata.uid));
    const known = new Map<string, query.Summary>();
    for (const uid of this.#workers.keys()) {
      const orphan = !desired.has(uid);
      this.#enqueue(uid, { type: 'housekept', orphan });
      const summary = query.summarize(this.#stateOf(uid), orphan);
      if (summary !== null) known.set(uid, summary);
    }
    return known;
  }

  /** Kills a pod; resolves when its containers have stopped, rejects if that takes too long. */
  killPodNow(pod: Pod, options?: KillPodOptions): Promise<void> {
    const { clock, events } = this.#options;
    return killPodNow({ clock, events, updatePod: (kill) => this.updatePod(kill) }, pod, options);
  }

  /**
   * Cancels all work and waits until it has ended. The containers keep running; the next podkeep process
   * adopts them.
   */
  async close(): Promise<void> {
    this.#closed = true;
    this.#workQueue.clear();
    await Promise.all([...this.#workers.values()].map((worker) => worker.stop()));
  }

  /** A worker manages this pod, or remembers that it has finished. */
  hasWorker(uid: string): boolean {
    return this.#workers.has(uid);
  }

  isPodKnownTerminated(uid: string): boolean {
    return query.isKnownTerminated(this.#stateOf(uid));
  }

  couldHaveRunningContainers(uid: string): boolean {
    return query.couldHaveRunningContainers(this.#stateOf(uid), this.#podsSynced);
  }

  shouldPodBeFinished(uid: string): boolean {
    return query.shouldBeFinished(this.#stateOf(uid), this.#podsSynced);
  }

  isPodTerminationRequested(uid: string): boolean {
    return query.isTerminationRequested(this.#stateOf(uid));
  }

  shouldPodContainersBeTerminating(uid: string): boolean {
    return query.shouldContainersBeTerminating(this.#stateOf(uid), this.#podsSynced);
  }

  shouldPodRuntimeBeRemoved(uid: string): boolean {
    return query.shouldRuntimeBeRemoved(this.#stateOf(uid), this.#podsSynced);
  }

  shouldPodContentBeRemoved(uid: string): boolean {
    return query.shouldContentBeRemoved(this.#stateOf(uid), this.#podsSynced);
  }

  isPodForMirrorPodTerminatingByFullName(fullName: string): boolean {
    const holder = this.#staticPodQueues.holder(fullName);
    return holder !== null && query.isTerminating(this.#stateOf(holder));
  }

  /** Pods that their workers no longer manage, because an invariant was violated. */
  get parkedPods(): readonly PodReference[] {
    return [...this.#workers.values()].filter(({ parked }) => parked).map(({ pod }) => pod);
  }

  #stateOf(uid: string): podWorker.State {
    return this.#workers.get(uid)?.state ?? podWorker.initial;
  }

  /** One event at a time: events that an event causes are handled after it, not during it. */
  #enqueue(uid: string, event: Event, about?: PodReference): void {
    this.#queue.push({ uid, event, about });
    if (this.#isHandlingQueue) return;
    this.#isHandlingQueue = true;
    try {
      for (let next = this.#queue.shift(); next; next = this.#queue.shift()) this.#deliver(next);
    } finally {
      this.#isHandlingQueue = false;
    }
  }

  #deliver({ uid, event, about }: QueuedEvent): void {
    const worker = this.#workers.get(uid) ?? (about && this.#createWorker(about));
    if (worker === undefined || this.#closed) return;
    worker.send(event);
    const { phase } = worker.state;
    // A timer of a finished pod must not wake the next one with the same UID (F-14).
    if (phase === 'finished' || phase === 'forgotten') this.#workQueue.drop(uid);
    if (phase === 'forgotten' && !worker.parked) this.#workers.delete(uid);
  }

  #createWorker(pod: PodReference): Worker {
    const worker = new Worker(pod, this.#deps);
    this.#workers.set(pod.uid, worker);
    return worker;
  }

  #notifyQueue(pod: PodReference, what: 'joined' | 'asked' | 'left'): void {
    const answers = this.#staticPodQueues.send(workerFullNameOf(pod), { type: what, uid: pod.uid });
    for (const { type, uid } of answers) {
      this.#enqueue(uid, { type: type === 'admit' ? 'admitted' : 'refused' });
    }
  }

  #nameHolder(pod: PodReference): NameHolder | null {
    const uid = this.#staticPodQueues.holder(workerFullNameOf(pod));
    return uid === null ? null : { uid, phase: this.#stateOf(uid).phase };
  }

  #delayMs(delay: Delay): number {
    const { random, resyncMs = RESYNC_MS, backOffMs = BACK_OFF_MS } = this.#options;
    return delayMs(delay, { resyncMs, backOffMs }, random.next());
  }

  #wakeAfter(uid: string, ms: number): void {
    this.#workQueue.enqueue(uid, ms);
    this.#options.observer.wakeScheduled(uid, ms);
  }

  #wake(uid: string): void {
    const known = this.#options.pods.find(uid);
    if (known === undefined) return;
    const startedAtMs = this.#options.clock.monotonic();
    this.updatePod({ updateType: 'sync', ...known, startedAtMs });
  }
}
