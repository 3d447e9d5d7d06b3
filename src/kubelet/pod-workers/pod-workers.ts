/**
 * The pod workers: one for each pod UID, driven by what callers tell them and by housekeeping.
 *
 *     updatePod ───┐                         ┌──> PodSync: sync, stop, release
 *     syncKnownPods├──> events ──> decide ───┼──> work queue ──> updatePod(sync)
 *     work settles ┘                         └──> lines of static pods ──> events
 *
 * All rules are in core/pod-worker. Here is what they cannot have: the workers themselves, time,
 * chance, and the world behind its ports. Events are handled one after the other, each to its end,
 * before the call that brought them returns; only the work itself takes time.
 *
 * The query methods are what the rest of the kubelet acts on. They answer from the same states, so
 * that the status manager, volumes, probes and garbage collection never disagree about a pod.
 */
import type { Pod } from '../../api/pod.ts';
import { delayMs } from '../../core/pod-worker/delay.ts';
import type { Delay } from '../../core/pod-worker/delay.ts';
import { mayRun } from '../../core/pod-worker/event.ts';
import type { Event } from '../../core/pod-worker/event.ts';
import * as podWorker from '../../core/pod-worker/pod-worker.ts';
import * as query from '../../core/pod-worker/query.ts';
import type { PodLookup } from '../../ports/pod-lookup.ts';
import type { PodReference } from '../../ports/pod-reference.ts';
import type { Random } from '../../ports/random.ts';
import { killPodNow } from './kill-pod-now.ts';
import type { KillPodOptions } from './kill-pod-now.ts';
import { KillRequests } from './kill-requests.ts';
import { StaticLines } from './static-lines.ts';
import { fullNameOf, killFrom, newsFrom } from './update-options.ts';
import type { UpdatePodOptions } from './update-options.ts';
import { WorkQueue } from './work-queue.ts';
import { Worker } from './worker.ts';
import type { WorkerPorts, WorkerRoom } from './worker-room.ts';

export interface PodWorkersOptions extends WorkerPorts {
  readonly random: Random;
  /** The pods that the work queue may wake; others are dropped from it without a word (PW-56). */
  readonly pods: PodLookup;
  /** The pod with the resources that it was really given (E-3). */
  readonly allocated?: (pod: Pod) => Pod;
  readonly resyncMs?: number;
  readonly backOffMs?: number;
}

interface Letter {
  readonly uid: string;
  readonly event: Event;
  /** Whom it is about, if it may be the first letter about this pod. */
  readonly about: PodReference | undefined;
}

const RESYNC_MS = 60_000;
const BACK_OFF_MS = 10_000;

export class PodWorkers {
  readonly #options: PodWorkersOptions;
  readonly #room: WorkerRoom;
  readonly #workers = new Map<string, Worker>();
  readonly #lines = new StaticLines();
  readonly #queue: WorkQueue;
  readonly #mail: Letter[] = [];
  #isHandlingMail = false;
  #podsSynced = false;
  #closed = false;

  constructor(options: PodWorkersOptions) {
    this.#options = options;
    this.#queue = new WorkQueue(options.clock, (uid) => this.#wake(uid));
    this.#room = {
      ...options,
      kills: new KillRequests(),
      post: (uid, event) => this.#post(uid, event),
      wakeAfter: (uid, delay) => this.#wakeAfter(uid, delay),
      tellLine: (pod, what) => this.#tellLine(pod, what),
    };
  }

  /** News of a pod: it is there, it changed, it should be looked at, or it has to go. */
  updatePod(options: UpdatePodOptions): void {
    if (this.#closed) return;
    const { podCache, allocated } = this.#options;
    const { kills } = this.#room;
    const told = newsFrom(options, {
      pod: (pod) => allocated?.(pod) ?? pod,
      mayRun: (uid) => mayRun(podCache.peek(uid)),
      kill: (kill) => killFrom(kills.add(kill), kill),
    });
    if (told !== null) this.#post(told.about.uid, told.news, told.about);
  }

  /**
   * Housekeeping: forgets what is over, ends what no source of pods knows any more, and tells what
   * is left. Whoever finds a desired pod missing in the answer has to create it again (PW-65, PW-66).
   */
  syncKnownPods(desiredPods: readonly Pod[]): ReadonlyMap<string, query.Summary> {
    this.#podsSynced = true;
    const desired = new Set(desiredPods.map(({ metadata }) => metadata.uid));
    const known = new Map<string, query.Summary>();
    for (const uid of this.#workers.keys()) {
      const orphan = !desired.has(uid);
      this.#post(uid, { type: 'housekept', orphan });
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

  /** Cancels all work and waits for its end. The containers go on; the next podkeep adopts them. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#queue.clear();
    await Promise.all([...this.#workers.values()].map((worker) => worker.stop()));
  }

  /** Somebody looks after this pod, or remembers that it is over. */
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
    const holder = this.#lines.holder(fullName);
    return holder !== null && query.isTerminating(this.#stateOf(holder));
  }

  /** Pods that nothing is done for any more, because a rule of ours was broken. */
  get parkedPods(): readonly PodReference[] {
    return [...this.#workers.values()].filter(({ parked }) => parked).map(({ pod }) => pod);
  }

  #stateOf(uid: string): podWorker.State {
    return this.#workers.get(uid)?.state ?? podWorker.initial;
  }

  /** One event at a time: what an event brings about is handled after it, and not in its middle. */
  #post(uid: string, event: Event, about?: PodReference): void {
    this.#mail.push({ uid, event, about });
    if (this.#isHandlingMail) return;
    this.#isHandlingMail = true;
    try {
      for (let next = this.#mail.shift(); next; next = this.#mail.shift()) this.#deliver(next);
    } finally {
      this.#isHandlingMail = false;
    }
  }

  #deliver({ uid, event, about }: Letter): void {
    const worker = this.#workers.get(uid) ?? (about && this.#hire(about));
    if (worker === undefined || this.#closed) return;
    worker.send(event);
    const { phase } = worker.state;
    // A time set for a pod that is over must not wake the next one with the same UID (F-14).
    if (phase === 'finished' || phase === 'forgotten') this.#queue.drop(uid);
    if (phase === 'forgotten' && !worker.parked) this.#workers.delete(uid);
  }

  #hire(pod: PodReference): Worker {
    const worker = new Worker(pod, this.#room);
    this.#workers.set(pod.uid, worker);
    return worker;
  }

  #tellLine(pod: PodReference, what: 'joined' | 'asked' | 'left'): void {
    const answers = this.#lines.send(fullNameOf(pod), { type: what, uid: pod.uid });
    for (const { type, uid } of answers) {
      this.#post(uid, { type: type === 'admit' ? 'admitted' : 'refused' });
    }
  }

  #wakeAfter(uid: string, delay: Delay): void {
    const { random, observer, resyncMs = RESYNC_MS, backOffMs = BACK_OFF_MS } = this.#options;
    const ms = delayMs(delay, { resyncMs, backOffMs }, random.next());
    this.#queue.enqueue(uid, ms);
    observer.wakeScheduled(uid, ms);
  }

  #wake(uid: string): void {
    const known = this.#options.pods.find(uid);
    if (known === undefined) return;
    const startedAtMs = this.#options.clock.monotonic();
    this.updatePod({ updateType: 'sync', ...known, startedAtMs });
  }
}
