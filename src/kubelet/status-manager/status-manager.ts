/**
 * The status manager: the source of truth for every pod's status on this node. It stores versions of statuses
 * and writes them to the API.
 *
 *     workers, probes ──> records (core/status-record) ──> writer ──> API
 *            watch ──> known objects ──────────────────────▲
 *
 * All statuses pass through one method, which refuses invalid statuses, drops unchanged ones and numbers the
 * others. Subscribers are notified of every stored status, in order. No call waits for the API: the status
 * writer works in the background, and writes only changes.
 */
import type { Pod, PodCondition, PodStatus } from '../../api/pod.ts';
import { formatTime } from '../../api/values/time.ts';
import { assert } from '../../lib/assert.ts';
import { isBeingDeleted, isStaticPod } from '../../core/pod/pod-facts.ts';
import { withNewestProbes, withReadiness, withStartup } from '../../core/probes/probe-update.ts';
import type { ResizeReport } from '../../core/resize/resize-conditions.ts';
import { isOfStart } from '../../core/pod-status/startup-progress.ts';
import { updateRecord, type StatusRecord } from '../../core/pod-status/status-record.ts';
import type { WriteView } from '../../core/status-write/next-request.ts';
import { reconcileNeed, type ReconcileNeed } from '../../core/status-write/reconcile.ts';
import type { Ask } from '../../core/status-write/status-write.ts';
import { isUrgent } from '../../core/status-write/urgency.ts';
import { terminateStatus } from '../../core/pod-status/terminate-status.ts';
import type { ApiClient, PodName } from '../../ports/api/api-client.ts';
import type { StatusSubscriber } from '../../ports/observe/status-subscriber.ts';
import { DelayedWrites } from './delayed-writes.ts';
import { isOlder, KnownObjects, nameOf } from './known-objects.ts';
import { Reconciler } from './reconciler.ts';
import { PodResizeConditions } from './pod-resize-conditions.ts';
import { writeOutcomeOf } from './outcome.ts';
import {
  readSettings,
  type StatusManagerOptions,
  type StatusManagerPorts,
  type StatusWriteSettings,
} from './settings.ts';
import { StatusWriter } from './status-writer.ts';
import { StatusDecisions } from './status-decisions.ts';
import { StatusNotifier } from './status-notifier.ts';

export class StatusManager {
  readonly #ports: StatusManagerPorts;
  readonly #records = new Map<string, StatusRecord>();
  readonly #known = new KnownObjects();
  readonly #resizes: PodResizeConditions;
  readonly #notifier: StatusNotifier;
  readonly #settings: StatusWriteSettings;
  readonly #statusDecisions: StatusDecisions;
  readonly #writer: StatusWriter;
  readonly #reconciler: Reconciler;
  readonly #held: DelayedWrites;
  #isStarted = false;
  #isStopped = false;
  /** UIDs that the API server answered with 404. */
  readonly #gone = new Set<string>();
  /** When a watch event last caused podkeep to overwrite another writer's status, by the clock's `monotonic`. */
  readonly #correctedAt = new Map<string, number>();

  constructor(options: StatusManagerOptions) {
    const { ports, ...settings } = readSettings(options);
    this.#ports = ports;
    this.#settings = settings;
    this.#notifier = new StatusNotifier(ports.log);
    this.#resizes = new PodResizeConditions(ports.observer, () => this.#now());
    this.#statusDecisions = new StatusDecisions(ports);
    this.#writer = new StatusWriter({
      ...settings,
      clock: ports.clock,
      random: ports.random,
      viewOf: (uid) => this.#viewOf(uid),
      perform: (uid, ask, signal) => this.#perform(uid, ask, signal),
      acknowledged: (uid, version) => {
        this.#statusDecisions.acknowledged(uid, this.#records.get(uid), version);
      },
      dropped: (uid, why) => this.#drop(uid, why),
      parked: (uid, error) => this.#statusDecisions.parked(uid, this.#records.get(uid), error),
      stepped: (uid, step) => this.#statusDecisions.stepped(uid, this.#records.get(uid), step),
    });
    this.#held = new DelayedWrites(ports.clock, (uid) => this.#writer.changed(uid, 'normal'));
    this.#reconciler = new Reconciler({
      clock: ports.clock,
      periodMs: settings.reconcileMs,
      uids: () => [...this.#records.keys()],
      look: (uid) => this.#reconcile(uid, true),
    });
  }

  /** From now on statuses are written. Without an API client they are only stored (SM-4). */
  start(): void {
    assert(!this.#isStopped, 'a status manager that was stopped does not start again');
    if (!this.#ports.api || this.#isStarted) return;
    this.#isStarted = true;
    this.#reconciler.start();
    for (const uid of this.#records.keys()) this.#writer.changed(uid, 'normal');
  }

  /** Writes nothing more. The next podkeep process computes unwritten statuses from the runtime. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    this.#isStopped = true;
    this.#held.clear();
    this.#reconciler.stop();
    await this.#writer.stop();
  }

  subscribe(subscriber: StatusSubscriber): () => void {
    return this.#notifier.subscribe(subscriber);
  }

  /** The status record of each pod, by its own UID. */
  get records(): ReadonlyMap<string, StatusRecord> {
    return this.#records;
  }

  /** By the pod's own UID or its mirror's (SM-6). The returned status is shared: do not modify it. */
  getPodStatus(uid: string): PodStatus | undefined {
    return this.#records.get(this.#ports.pods.sourceUidOf(uid))?.status;
  }

  /** Returns the stored status, and whether it has changed (SM-15). */
  setPodStatus(
    pod: Pod,
    status: PodStatus,
  ): { readonly status: PodStatus | undefined; readonly changed: boolean } {
    const { uid = '', generation } = pod.metadata;
    const { observedGeneration: _, ...rest } = status;
    const observed = generation ? { ...rest, observedGeneration: generation } : rest;
    const changed = this.#store(pod, observed, isBeingDeleted(pod), false);
    return { status: this.#records.get(uid)?.status, changed };
  }

  /**
   * The same for a status that took a while to compute: the newest probe results are applied to it now, so
   * that results that arrived meanwhile are not lost (F-3).
   */
  handOverPodStatus(pod: Pod, status: PodStatus): ReturnType<StatusManager['setPodStatus']> {
    const probes = this.#ports.probes.of(pod.metadata.uid ?? '');
    return this.setPodStatus(pod, withNewestProbes(pod, status, probes));
  }

  setContainerReadiness(podUid: string, containerID: string, ready: boolean): void {
    this.#probed(podUid, (pod, status) => withReadiness(pod, status, containerID, ready));
  }

  setContainerStartup(podUid: string, containerID: string, started: boolean): void {
    this.#probed(podUid, (_pod, status) => withStartup(status, containerID, started));
  }

  /**
   * Stores the pod's final status: containers that are not known to have ended are reported as terminated
   * with ContainerStatusUnknown (SM-40 to SM-45).
   */
  terminatePod(pod: Pod): void {
    const lastReported = this.#records.get(pod.metadata.uid ?? '')?.status ?? pod.status ?? {};
    this.#store(pod, terminateStatus(pod, lastReported), true, true);
  }

  /** Whether the API has the newest status of the pod, or never will. */
  isAcknowledged(uid: string): boolean {
    return !this.#ports.api || !this.#isUnwritten(uid);
  }

  /** Forgets every pod whose UID is not in `uids`, and its objects (SM-50, V-1). */
  removeOrphanedStatuses(uids: ReadonlySet<string>): void {
    for (const uid of this.#records.keys()) {
      if (!uids.has(uid)) this.#drop(uid, 'the pod is gone from this node');
    }
    const { pods } = this.#ports;
    const isNeeded = (uid: string): boolean => {
      const source = pods.sourceUidOf(uid);
      return this.#records.has(source) || pods.find(source) !== undefined;
    };
    this.#known.keepOnly(isNeeded);
    for (const uid of this.#gone) if (!isNeeded(uid)) this.#gone.delete(uid);
  }

  /**
   * The watch delivered a pod of this node, or a mirror pod. The pod manager must know the pod before this
   * call.
   *
   * If another writer changed the status, podkeep corrects it immediately, but at most once in each period:
   * against a writer that keeps changing it, the periodic reconciliation of all pods is fast enough.
   */
  apiPodSeen(pod: Pod): void {
    if (!this.#known.learn(pod)) return;
    this.#gone.delete(pod.metadata.uid ?? '');
    const uid = this.#ports.pods.sourceUidOf(pod.metadata.uid ?? '');
    if (!this.#isStarted || !this.#records.has(uid)) return;
    this.#writer.retryParked(uid);
    const now = this.#ports.clock.monotonic();
    const last = this.#correctedAt.get(uid) ?? Number.NEGATIVE_INFINITY;
    this.#reconcile(uid, now - last >= this.#settings.reconcileMs);
  }

  /** The watch reported that the pod was deleted. */
  apiPodGone(pod: Pod): void {
    this.#known.forget(nameOf(pod), pod.metadata.uid);
  }

  resizeConditions(uid: string): readonly PodCondition[] {
    return this.#resizes.list(uid);
  }

  setResizePending(uid: string, report: ResizeReport): boolean {
    return this.#resizes.setPending(uid, report);
  }

  setResizeInProgress(
    uid: string,
    report: ResizeReport,
  ): ReturnType<PodResizeConditions['setInProgress']> {
    return this.#resizes.setInProgress(uid, report);
  }

  clearResizePending(uid: string): void {
    this.#resizes.clearPending(uid);
  }

  clearResizeInProgress(uid: string): number | null {
    return this.#resizes.clearInProgress(uid);
  }

  backfillResizeConditions(pods: readonly Pod[]): void {
    this.#resizes.backfill(pods);
  }

  /**
   * Reconciles all pods once, for callers that do not start the manager (SM-55 to SM-59): writes unwritten
   * statuses, and with `all` also corrects statuses that differ in the API.
   */
  async syncBatch(all: boolean): Promise<void> {
    if (!this.#ports.api) return;
    for (const uid of [...this.#records.keys()]) {
      if (all || this.#isUnwritten(uid)) this.#reconcile(uid, true);
    }
    await this.#writer.idle();
  }

  #store(pod: Pod, status: PodStatus, isForced: boolean, isFinished: boolean): boolean {
    const { uid = '' } = pod.metadata;
    const record = this.#records.get(uid);
    const mirrorPod = this.#ports.pods.mirrorOf(uid);
    const now = this.#now();
    const result = updateRecord({ pod, mirrorPod, record, status, isForced, isFinished, now });
    if (result.kind === 'refused') {
      this.#statusDecisions.refused(pod, result.problem);
      return false;
    }
    for (const { containerType, exitCode, reason } of result.ended) {
      this.#ports.observer.containerTerminated(containerType, exitCode, reason);
    }
    if (result.kind === 'unchanged') return false;
    this.#records.set(uid, result.record);
    this.#statusDecisions.stored(uid, record, result.record);
    const before = record?.status ?? mirrorPod?.status ?? pod.status;
    if (this.#isStarted) this.#queue(uid, before, result.record, record !== undefined);
    this.#notifier.notify(pod, result.record, result.isAdded);
    return true;
  }

  /** The first status of a starting pod is written immediately; later start-up progress may be delayed. */
  #queue(uid: string, before: PodStatus | undefined, record: StatusRecord, isKnown: boolean): void {
    if (isKnown && this.#writer.isIdle(uid) && isOfStart(record) && this.#ports.isBusy?.()) {
      const delayMs = this.#held.hold(uid);
      const { clock } = this.#ports;
      if (delayMs !== null) this.#statusDecisions.delayed(uid, record, clock.now() + delayMs);
      return;
    }
    this.#held.letGo(uid);
    this.#writer.changed(uid, isUrgent(before, record) ? 'urgent' : 'normal');
  }

  #probed(podUid: string, change: (pod: Pod, status: PodStatus) => PodStatus | null): void {
    const pod = this.#ports.pods.find(podUid)?.pod;
    const status = this.#records.get(podUid)?.status;
    const changed = pod && status ? change(pod, status) : null;
    if (pod && changed) this.#store(pod, changed, false, false);
  }

  #viewOf(uid: string): WriteView {
    const { pods, couldHaveRunningContainers } = this.#ports;
    const apiUid = this.#apiUidOf(uid);
    const record = this.#records.get(uid);
    assert(record !== undefined, 'a turn to write was given to a pod that has no status');
    return {
      record,
      apiUid,
      isMirrored: apiUid !== uid,
      known: this.#objectOf(uid, apiUid),
      couldHaveRunningContainers: couldHaveRunningContainers(pods.find(uid)?.pod, uid),
      now: this.#now(),
    };
  }

  /** The newest known API object under the pod's name; for a static pod this is its mirror pod. */
  #objectOf(uid: string, apiUid: string | null): Pod | null {
    const record = this.#records.get(uid);
    const known = record ? this.#known.find(record) : null;
    if (apiUid === uid || known?.metadata.uid === apiUid) return known;
    const mirrorPod = this.#ports.pods.mirrorOf(uid) ?? null;
    return known && mirrorPod && !isOlder(known, mirrorPod) ? known : (mirrorPod ?? known);
  }

  /** Null: a static pod without a mirror pod (SM-57). A mirror pod also shows the end of an unknown pod. */
  #apiUidOf(uid: string): string | null {
    const { pods } = this.#ports;
    const known = pods.find(uid);
    if (known && !isStaticPod(known.pod)) return uid;
    return pods.mirrorOf(uid)?.metadata.uid ?? (known ? null : uid);
  }

  #isUnwritten(uid: string): boolean {
    const record = this.#records.get(uid);
    const apiUid = this.#apiUidOf(uid);
    if (!record || apiUid === null) return false;
    return this.#writer.ackedVersion(uid, apiUid) < record.version;
  }

  /** `corrects`: correct a status that another writer changed. */
  #reconcile(uid: string, corrects: boolean): void {
    const record = this.#records.get(uid);
    if (!record) return;
    const apiUid = this.#apiUidOf(uid);
    const isThere = apiUid !== null && this.#objectOf(uid, apiUid)?.metadata.uid === apiUid;
    if (isThere && !this.#gone.has(apiUid)) this.#writer.seen(uid);
    if (this.#isUnwritten(uid)) {
      // A stored status is already queued, unless there was no object to write it to.
      const isWaiting = this.#held.has(uid) || !this.#writer.isIdle(uid);
      if (!isWaiting) this.#writer.changed(uid, 'normal');
      return;
    }
    const need = this.#needOf(uid, record);
    if (need === 'deletable') this.#writer.changed(uid, 'urgent');
    if (need !== 'different' || !corrects) return;
    this.#correctedAt.set(uid, this.#ports.clock.monotonic());
    this.#writer.overwritten(uid);
  }

  /** An API object that cannot be parsed is not compared, and does not stop the reconciliation of others. */
  #needOf(uid: string, record: StatusRecord): ReconcileNeed {
    const { pods } = this.#ports;
    try {
      return reconcileNeed(record, pods.find(uid)?.pod, pods.mirrorOf(uid));
    } catch (error) {
      this.#ports.log.error('Failed to compare the cached pod status with the API object', {
        uid,
        error,
      });
      return null;
    }
  }

  async #perform(uid: string, ask: Ask, signal: AbortSignal): Promise<void> {
    const { api, aroundWrite } = this.#ports;
    const record = this.#records.get(uid);
    if (!api || !record) return;
    const { namespace, name } = record;
    this.#statusDecisions.writing(uid);
    const send = (): Promise<void> => this.#send(api, { namespace, name }, ask, signal);
    try {
      await (aroundWrite ? aroundWrite({ uid, namespace, name }, send) : send());
    } catch (error) {
      // The API does not have the pod, whatever objects are known; only a watch event can change that (F-12).
      if (writeOutcomeOf(error).type === 'notFound') this.#gone.add(this.#apiUidOf(uid) ?? uid);
      throw error;
    }
  }

  async #send(api: ApiClient, pod: PodName, ask: Ask, signal: AbortSignal): Promise<void> {
    switch (ask.type) {
      case 'patch':
        this.#known.learn(await api.patchPodStatus(pod, ask.body, signal));
        break;
      case 'remove':
        await api.deletePod(pod, { uid: ask.uid, gracePeriodSeconds: 0 }, signal);
        this.#known.forget(pod, ask.uid);
        break;
      case 'read':
        this.#known.learn(await api.getPod(pod, signal));
        break;
    }
  }

  #drop(uid: string, why: string): void {
    const record = this.#records.get(uid);
    if (!record) return;
    this.#records.delete(uid);
    this.#correctedAt.delete(uid);
    this.#held.letGo(uid);
    this.#writer.forget(uid);
    this.#resizes.forget(uid);
    this.#statusDecisions.dropped(uid, record, why);
  }

  #now(): string {
    return formatTime(this.#ports.clock.now());
  }
}
