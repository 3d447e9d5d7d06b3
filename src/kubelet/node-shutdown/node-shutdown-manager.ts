/**
 * The node shutdown manager of podkeep's kubelet: when the node shuts down, terminates its pods in the order
 * and within the times that the settings define.
 *
 *     inhibitor ──announced, cancelled──> core/node-shutdown decides ──> kill a group ──> unmounts
 *         ▲                                          │                                             │
 *         └── release, when all statuses are in the API <── next group, or the last one ended <────┘
 *
 * 1. The inhibitor's lock is held while pods end, even if its connection breaks meanwhile: an old session
 *    ends when a new one holds the lock.
 * 2. If a session breaks, a new one is tried every second. If the first session cannot be opened, this is
 *    logged, and the node runs without graceful shutdown, as in Kubernetes' kubelet.
 * 3. `drain` terminates the pods in the same way, without an announcement.
 */
import type { Pod } from '../../api/pod.ts';
import { formatTime } from '../../api/values/time.ts';
import { isTerminalPhase } from '../../core/pod/pod-facts.ts';
import * as nodeShutdown from '../../core/node-shutdown/node-shutdown.ts';
import {
  shutdownGraceSeconds,
  shutdownGroups,
  shutdownSeconds,
  shutdownWaitSeconds,
  type ShutdownGroup,
  type ShutdownPeriod,
} from '../../core/node-shutdown/shutdown-groups.ts';
import { NODE_IS_SHUTTING_DOWN, shutDownStatus } from '../../core/node-shutdown/shutdown-status.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { InhibitorSession, ShutdownInhibitor } from '../../ports/shutdown-inhibitor.ts';
import type { NodeShutdownMetrics } from '../metrics/node-shutdown-metrics.ts';
import type { NodeEvents } from '../node/node-events.ts';
import { activePods, type ActivePodsDeps } from '../pod-workers/active-pods.ts';
import type { KillPodOptions } from '../pod-workers/kill-pod-now.ts';
import { referenceOf } from '../pod-workers/update-options.ts';
import { pause } from '../waiting/pause.ts';
import type { ShutdownStateStore } from './shutdown-state.ts';

export interface NodeShutdownDeps extends ActivePodsDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly nodeEvents?: NodeEvents | undefined;
  readonly metrics: Pick<NodeShutdownMetrics, 'shutdownTimes'>;
  /** Lowest priority first; empty: shutdowns of the machine are not watched. */
  readonly periods: readonly ShutdownPeriod[];
  /** Absent: this machine announces no shutdowns. */
  readonly inhibitor?: ShutdownInhibitor | undefined;
  /** Absent: the times of shutdowns are not stored. */
  readonly state?: ShutdownStateStore | undefined;
  readonly status: ActivePodsDeps['status'] & { isAcknowledged(uid: string): boolean };
  readonly volumes: { volumesExist(podUid: string): boolean | Promise<boolean> };
  /** Settles when the containers of the pod have stopped, or that takes too long. */
  readonly killPod: (pod: Pod, options: KillPodOptions) => Promise<void>;
  /** Whether the node is shutting down has changed. */
  readonly changed: () => void;
}

const RECONNECT_MS = 1000;
const UNMOUNT_POLL_MS = 300;
const STATUS_POLL_MS = 100;
/** How long the final statuses may take after the last group. */
const STATUS_MS_MAX = 10_000;
/** The kubelet's reason for Events of the node. */
const SHUTDOWN = 'Shutdown';

export class NodeShutdownManager {
  readonly #deps: NodeShutdownDeps;
  readonly #abort = new AbortController();
  #state: nodeShutdown.State = nodeShutdown.initial;
  /** Aborted when the current shutdown is cancelled. */
  #round = new AbortController();
  #ended: readonly Pod[] = [];
  #startMs: number | null = null;
  #session: InhibitorSession | null = null;
  #stored: Promise<void> = Promise.resolve();
  #doneWaiters: (() => void)[] = [];

  constructor(deps: NodeShutdownDeps) {
    this.#deps = deps;
  }

  start(): void {
    void this.#reportLast();
    const { inhibitor, periods } = this.#deps;
    if (inhibitor && periods.length > 0) void this.#watch(inhibitor);
  }

  /** If pods are being terminated, it waits up to STATUS_MS_MAX for their final statuses. */
  async stop(): Promise<void> {
    const { phase } = this.#state;
    if (phase === 'ending' || phase === 'reporting') {
      await Promise.race([
        this.#done(),
        pause(this.#deps.clock, STATUS_MS_MAX, this.#abort.signal),
      ]);
    }
    this.#abort.abort();
    this.#round.abort();
    await this.#stored;
    this.#session?.end();
    this.#session = null;
  }

  /**
   * Terminates all pods. Resolves when their final statuses are written to the API, or when that takes too
   * long.
   */
  async drain(): Promise<void> {
    const done = this.#done();
    this.#begin('drained');
    await done;
    await this.#stored;
  }

  get isShuttingDown(): boolean {
    return this.#state.phase !== 'idle';
  }

  /** Why the node is not ready. Empty: the node is not shutting down. */
  reasons(): readonly string[] {
    return this.isShuttingDown ? [NODE_IS_SHUTTING_DOWN] : [];
  }

  async #reportLast(): Promise<void> {
    const { state, metrics, log } = this.#deps;
    try {
      const last = await state?.load();
      if (last && !this.isShuttingDown) metrics.shutdownTimes(last.startMs, last.endMs);
    } catch (error) {
      log.error('Failed to load graceful shutdown state', { error });
    }
  }

  async #watch(inhibitor: ShutdownInhibitor): Promise<void> {
    const { clock, log } = this.#deps;
    const { signal } = this.#abort;
    try {
      await this.#open(inhibitor);
    } catch (error) {
      log.error('Failed to start node shutdown manager', { error });
      return;
    }
    while (!signal.aborted && this.#session) {
      const reason = await this.#session.closed;
      if (signal.aborted) return;
      log.warn('Stopped watching for node shutdown events', { reason });
      let isOpen = false;
      while (!isOpen && !signal.aborted) {
        await pause(clock, RECONNECT_MS, signal);
        if (signal.aborted) return;
        log.info('Restarting watch for node shutdown events');
        isOpen = await this.#open(inhibitor).then(
          () => true,
          (error: unknown) => {
            log.error('Unable to watch the node for shutdown events', { error });
            return false;
          },
        );
      }
    }
  }

  async #open(inhibitor: ShutdownInhibitor): Promise<void> {
    const session = await inhibitor.open(shutdownSeconds(this.#deps.periods));
    if (this.#abort.signal.aborted) return session.end();
    this.#session?.end();
    this.#session = session;
    // A shutdown may have been announced, or cancelled, while there was no session.
    session.follow((isShuttingDown) => this.#announced(isShuttingDown));
  }

  #announced(isShuttingDown: boolean): void {
    if (this.#abort.signal.aborted) return;
    if (isShuttingDown) this.#begin('announced');
    else this.#handle({ type: 'cancelled' });
  }

  #begin(cause: nodeShutdown.ShutdownCause): void {
    const groups = shutdownGroups(this.#deps.periods, activePods(this.#deps));
    this.#handle({ type: 'begun', cause, groups });
  }

  #handle(event: nodeShutdown.Event): void {
    const { state, effects } = nodeShutdown.decide(this.#state, event);
    this.#state = state;
    for (const effect of effects) this.#perform(effect);
  }

  #perform(effect: nodeShutdown.Effect): void {
    switch (effect.type) {
      case 'begin':
        return this.#onBegin(effect.cause);
      case 'endGroup':
        return void this.#endGroup(effect.number, effect.group, this.#round.signal);
      case 'awaitStatuses':
        return void this.#awaitStatuses(effect.number, this.#round.signal);
      case 'finish':
        return this.#onFinish();
      case 'resume':
        return this.#onResume(effect.takesLock);
    }
  }

  #onBegin(cause: nodeShutdown.ShutdownCause): void {
    const { clock, log, nodeEvents, changed } = this.#deps;
    const isAnnounced = cause === 'announced';
    const message = isAnnounced ? 'Shutdown manager detected shutdown event' : 'Draining node';
    log.info(message);
    nodeEvents?.recordNode('Normal', SHUTDOWN, message);
    this.#round = new AbortController();
    this.#ended = [];
    this.#startMs = clock.now();
    this.#record(null);
    changed();
  }

  #onFinish(): void {
    const { clock, log } = this.#deps;
    this.#record(clock.now());
    const session = this.#session;
    // The machine shuts down when the lock is released, so the state is stored first.
    void this.#stored.then(() =>
      session?.release().catch((error: unknown) => {
        log.error('Unable to release the inhibitor lock', { error });
      }),
    );
    log.info('Shutdown manager completed processing shutdown event, node will shutdown shortly');
    for (const resolve of this.#doneWaiters.splice(0)) resolve();
  }

  #onResume(takesLock: boolean): void {
    const { log, nodeEvents, changed } = this.#deps;
    this.#round.abort();
    const message = 'Shutdown manager detected shutdown cancellation';
    log.info(message);
    nodeEvents?.recordNode('Normal', SHUTDOWN, message);
    if (takesLock) {
      this.#session?.inhibit().catch((error: unknown) => {
        log.error('Failed creating systemd inhibitor', { error });
      });
    }
    changed();
  }

  async #endGroup(number: number, group: ShutdownGroup, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    this.#ended = [...this.#ended, ...group.pods];
    const facts = { gracePeriod: group.graceSeconds, priority: group.priority };
    const limit = new AbortController();
    const ended = this.#kill(group).then(() => this.#unmounted(group.pods, limit.signal));
    const waited = pause(clock, shutdownWaitSeconds(group) * 1000, signal).then(() => false);
    const isDone = await Promise.race([ended.then(() => true), waited]);
    limit.abort();
    if (isDone) log.info('Done waiting for all pods in group to terminate', facts);
    else if (!signal.aborted) log.warn('Shutdown manager pod killing time out', facts);
    this.#handle({ type: 'groupEnded', number });
  }

  async #kill(group: ShutdownGroup): Promise<void> {
    const { clock, log, killPod } = this.#deps;
    const kill = async (pod: Pod): Promise<void> => {
      const reference = referenceOf(pod);
      const graceSeconds = shutdownGraceSeconds(group, pod);
      log.info('Shutdown manager killing pod with gracePeriod', { pod: reference, graceSeconds });
      const now = formatTime(clock.now());
      await killPod(pod, {
        ...(graceSeconds !== undefined && { graceSeconds }),
        overrideStatus: (status) => shutDownStatus(pod, status, now),
      }).then(
        () => log.info('Shutdown manager finished killing pod', { pod: reference }),
        (error: unknown) =>
          log.warn('Shutdown manager failed killing pod', { pod: reference, error }),
      );
    };
    await Promise.all(group.pods.map(kill));
  }

  /**
   * Resolves when all volumes of the pods are unmounted: a CSI driver or another pod that they depend on may
   * be in the next group.
   */
  async #unmounted(pods: readonly Pod[], signal: AbortSignal): Promise<void> {
    const { clock, volumes } = this.#deps;
    const uids = new Set(pods.map((pod) => referenceOf(pod).uid));
    while (!signal.aborted) {
      for (const uid of uids) if (!(await volumes.volumesExist(uid))) uids.delete(uid);
      if (uids.size === 0) return;
      await pause(clock, UNMOUNT_POLL_MS, signal);
    }
  }

  async #awaitStatuses(number: number, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    const untilMs = clock.monotonic() + STATUS_MS_MAX;
    let unreported = this.#unreported();
    while (unreported.length > 0 && clock.monotonic() < untilMs && !signal.aborted) {
      await pause(clock, STATUS_POLL_MS, signal);
      unreported = this.#unreported();
    }
    if (unreported.length > 0 && !signal.aborted) {
      const pods = unreported.map((pod) => referenceOf(pod));
      log.warn('Timed out before the final pod statuses were written to the API server', { pods });
    }
    this.#handle({ type: 'reported', number });
  }

  #unreported(): readonly Pod[] {
    const { status } = this.#deps;
    return this.#ended.filter((pod) => {
      const { uid } = referenceOf(pod);
      const known = status.getPodStatus(uid);
      return known && (!isTerminalPhase(known.phase) || !status.isAcknowledged(uid));
    });
  }

  #record(endMs: number | null): void {
    const { state, metrics, log } = this.#deps;
    const times = { startMs: this.#startMs, endMs };
    metrics.shutdownTimes(times.startMs, endMs);
    this.#stored = this.#stored
      .then(() => state?.store(times))
      .catch((error: unknown) => log.error('Failed to store graceful shutdown state', { error }));
  }

  #done(): Promise<void> {
    return new Promise((resolve) => this.#doneWaiters.push(resolve));
  }
}
