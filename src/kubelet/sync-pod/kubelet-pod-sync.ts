/**
 * The sync handlers that pod workers call to sync, stop and release a pod (KL-1 to KL-14).
 *
 *     syncPod             status ──> preparation ──> containers ──> status again if something failed
 *     syncTerminatingPod  status ──> stop ──> inspect ──> final status with exit codes
 *     syncTerminatedPod   status ──> volumes unmounted ──> the rest released ──> finished
 *
 * Every handler can be called again after a failure, from any state. Every wait ends when the signal is
 * aborted, so that a pod that has to stop, or to stop faster, is not delayed (F-8).
 *
 * A failed sync reports a second status at its end, so that the status shows immediately why a container
 * waits. In Kubernetes' kubelet, only the status of the next sync shows the reason (F-11).
 */
import { isConditionTrue } from '../../api/condition.ts';
import type { Pod, PodStatus } from '../../api/pod.ts';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import { parseTime } from '../../api/values/time.ts';
import { ALL_CONTAINERS_RESTARTING } from '../../core/pod-status/condition-ownership.ts';
import { unmountWait } from '../../core/pod-waits/wait-names.ts';
import { isTerminalPhase } from '../../core/pod/pod-facts.ts';
import { PodkeepError } from '../../lib/errors.ts';
import type { PodCache } from '../../ports/pod/pod-cache.ts';
import type { PodReference } from '../../api/pod-reference.ts';
import type {
  PodSync,
  ReleaseRequest,
  StatusOverride,
  StopRequest,
  SyncRequest,
  SyncResult,
} from '../../ports/pod/pod-sync.ts';
import { VOLUME_ATTACHMENT_LIMIT } from '../../ports/pod/pod-volumes.ts';
import type { FoundPullSecrets } from '../../ports/api/pull-secrets.ts';
import type { StateStore } from '../../ports/pod/state-store.ts';
import { findLateRuns, type LateRuns } from '../../core/pod-actions/ended-containers.ts';
import type { PodRunner, RunResult } from '../containers/pod-runner.ts';
import { podReferenceOf } from '../../api/run-spec.ts';
import { failureMessageOf } from '../containers/start/start-failure.ts';
import { wait } from '../waiting/wait.ts';
import { preparePod, type PreparationDeps, type PreparedPod } from './pod-preparation.ts';
import { ResizeReporter } from './resize-reporter.ts';
import type { StartLimiter } from './start-limiter.ts';
import { StatusReporter, type StatusReporterDeps } from './status-reporter.ts';
import { volumeWaits } from './volume-waits.ts';
import { containersStillRun, podNotKilled, podNotSynced } from './sync-errors.ts';

export interface KubeletPodSyncOptions extends PreparationDeps, Omit<StatusReporterDeps, 'runner'> {
  readonly runner: PodRunner;
  readonly prober: PreparationDeps['prober'];
  readonly cache: PodCache;
  /** Lets the PLEG inspect the pod, so that changes cause a sync. */
  readonly relist: (podUid: string) => void;
  /** Requests another sync immediately (E-7). */
  readonly requestSync: (pod: Pod, mirrorPod: Pod | null) => void;
  readonly actuated?: StateStore | undefined;
  readonly observer?: PodStartObserver | undefined;
  /** Limits how many pods start at once; absent: no limit. */
  readonly starts?: StartLimiter;
}

/** For metrics; in seconds since this node first saw the pod. */
export interface PodStartObserver {
  workerStarted(seconds: number): void;
  podBecameRunning(seconds: number): void;
}

const SEEN_ANNOTATION = 'kubernetes.io/config.seen';
/** A pod that only the runtime knows gets the shortest grace period (KL-12). */
const ORPHAN_GRACE_SECONDS = 1;
const VOLUME_POLL_MS = 100;

export class KubeletPodSync implements PodSync {
  readonly #options: KubeletPodSyncOptions;
  readonly #status: StatusReporter;
  readonly #resize: ResizeReporter;

  constructor(options: KubeletPodSyncOptions) {
    this.#options = options;
    this.#status = new StatusReporter(options);
    this.#resize = new ResizeReporter(options);
  }

  async syncPod(request: SyncRequest, signal: AbortSignal): Promise<SyncResult> {
    const { pod, mirrorPod, updateType } = request;
    if (updateType === 'create')
      this.#sinceSeen(pod, (s) => this.#options.observer?.workerStarted(s));
    const before = this.#status.lastReported(pod);
    const late = findLateRuns(pod, request.runtimePod, before);
    this.#resize.look(pod, late.runtimePod);
    const status = this.#status.report(pod, late.runtimePod, false);
    if (isTerminalPhase(status.phase)) return { terminal: true };
    this.#observeStart(pod, before, status);
    const runtimePod = withAddresses(late.runtimePod, status);
    const prepared = { pod, mirrorPod, runtimePod, status };
    const start = async (): Promise<RunResult> => {
      const secrets = await preparePod(this.#options, prepared, signal);
      return this.#run(prepared, late, secrets, signal);
    };
    try {
      const { starts } = this.#options;
      // A pod with a sandbox has already started, and usually needs nothing.
      const waits = starts !== undefined && runtimePod.sandboxes.length === 0;
      const result = waits ? await starts.run(start, signal) : await start();
      return await this.#conclude(request, result, signal);
    } catch (error) {
      if (signal.aborted || !isAttachmentLimit(error)) throw error;
      return this.#reject(pod, failureMessageOf(error));
    }
  }

  async syncTerminatingPod(request: StopRequest, signal: AbortSignal): Promise<void> {
    const { pod, runtimePod, graceSeconds, overrideStatus } = request;
    const { prober, cache, clock } = this.#options;
    const reference = podReferenceOf(pod);
    this.#report(pod, runtimePod, false, overrideStatus);
    prober.stopLivenessAndStartup(pod);
    await this.#stop(reference, pod, runtimePod, graceSeconds, signal);
    prober.removePod(pod);
    const stopped = await cache.newerThan(reference.uid, clock.monotonic(), signal);
    const running = stopped.containers.filter(({ state }) => state === 'running');
    if (running.length > 0) throw containersStillRun({ ids: running.map(({ id }) => id) });
    // Exit codes are reported now, because the containers may be removed before the pod is released (KL-11).
    this.#report(pod, { ...stopped, ips: runtimePod.ips }, true);
  }

  async syncTerminatingRuntimePod(reference: PodReference, signal: AbortSignal): Promise<void> {
    const { cache, clock } = this.#options;
    const runtimePod = await cache.newerThan(reference.uid, clock.monotonic(), signal);
    await this.#stop(reference, null, runtimePod, ORPHAN_GRACE_SECONDS, signal);
  }

  async syncTerminatedPod(request: ReleaseRequest, signal: AbortSignal): Promise<void> {
    const { pod, runtimePod } = request;
    const { volumes, clock, objects, cgroups, actuated, status } = this.#options;
    const { uid } = podReferenceOf(pod);
    this.#report(pod, runtimePod, true);
    const waiting = volumeWaits(this.#options.waits, podReferenceOf(pod), unmountWait);
    await volumes.waitForUnmount(pod, signal, waiting);
    while (await volumes.volumesExist(uid)) await wait(clock, VOLUME_POLL_MS, signal);
    objects?.unregisterPod(pod);
    await cgroups?.destroy(pod);
    await actuated?.removePod(uid);
    status.terminatePod(pod);
  }

  #report(
    pod: Pod,
    seen: RuntimePod,
    isTerminal: boolean,
    override: StatusOverride | null = null,
  ): PodStatus {
    const { runtimePod } = findLateRuns(pod, seen, this.#status.lastReported(pod));
    return this.#status.report(pod, runtimePod, isTerminal, override);
  }

  #run(
    { pod, runtimePod, status }: PreparedPod,
    late: LateRuns,
    secrets: FoundPullSecrets,
    signal: AbortSignal,
  ): Promise<RunResult> {
    const { runner, prober } = this.#options;
    const { uid } = podReferenceOf(pod);
    const request = {
      pod,
      runtimePod,
      late,
      secrets,
      restartAllContainers: isConditionTrue(status.conditions, ALL_CONTAINERS_RESTARTING),
      liveness: prober.liveness(uid),
      startup: prober.of(uid).startup,
      sandboxReady: () => this.#status.reportReadyToStart(pod),
    };
    return runner.sync(request, signal);
  }

  async #conclude(
    { pod, mirrorPod }: SyncRequest,
    result: RunResult,
    signal: AbortSignal,
  ): Promise<SyncResult> {
    const { requestSync, relist } = this.#options;
    const { uid, name, namespace } = podReferenceOf(pod);
    if (result.resizeError !== null) this.#resize.failed(pod, result.resizeError);
    if (result.errors.length > 0) {
      if (await this.#lookAgain(pod, signal)) return { terminal: true };
      const reasons = result.errors.map(failureMessageOf);
      const cause = new AggregateError(result.errors);
      throw podNotSynced({ pod: `${namespace}/${name}`, reasons }, cause);
    }
    if (result.hasReset || result.hasResized) requestSync(pod, mirrorPod);
    const afterSync = (): void => relist(uid);
    return { terminal: result.isOver, ...(result.hasActed && { afterSync }) };
  }

  /** Reports the status after a failed sync. Returns whether the pod has ended. */
  async #lookAgain(pod: Pod, signal: AbortSignal): Promise<boolean> {
    const { cache, clock, log } = this.#options;
    const reference = podReferenceOf(pod);
    try {
      const seen = await cache.newerThan(reference.uid, clock.monotonic(), signal);
      return isTerminalPhase(this.#report(pod, seen, false).phase);
    } catch (error) {
      signal.throwIfAborted();
      // The error of the failed sync matters more than the missing status report.
      log.warn('Failed to inspect a pod after its sync failed', { pod: reference, error });
      return false;
    }
  }

  async #stop(
    reference: PodReference,
    pod: Pod | null,
    runtimePod: RuntimePod,
    graceSeconds: number | null,
    signal: AbortSignal,
  ): Promise<void> {
    const { runner, events } = this.#options;
    try {
      await runner.stopPod({ reference, pod }, runtimePod, graceSeconds, signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const reason = failureMessageOf(error);
      events.record(reference, 'Warning', 'FailedKillPod', `error killing pod: ${reason}`);
      throw podNotKilled({ reason }, error);
    }
  }

  /** This node cannot run the pod (KL-5, KL-62). */
  #reject(pod: Pod, message: string): SyncResult {
    const { events, status } = this.#options;
    const reason = 'VolumeAttachmentLimitExceeded';
    const { qosClass } = this.#status.lastReported(pod);
    events.record(podReferenceOf(pod), 'Warning', reason, message);
    status.setPodStatus(pod, {
      phase: 'Failed',
      reason,
      message: `Pod was rejected: ${message}`,
      ...(qosClass && { qosClass }),
    });
    return { terminal: true };
  }

  /** Counted only when the pod goes from Pending to Running (F-19). */
  #observeStart(pod: Pod, before: PodStatus, { phase }: PodStatus): void {
    if (before.phase !== 'Pending' || phase !== 'Running') return;
    this.#sinceSeen(pod, (seconds) => this.#options.observer?.podBecameRunning(seconds));
  }

  #sinceSeen(pod: Pod, observe: (seconds: number) => void): void {
    const seenAtMs = readTime(pod.metadata.annotations?.[SEEN_ANNOTATION]);
    if (seenAtMs !== null) observe((this.#options.clock.now() - seenAtMs) / 1000);
  }
}

/** With the host's network, the pod has the node's addresses, which the runtime does not know. */
function withAddresses(runtimePod: RuntimePod, { podIPs }: PodStatus): RuntimePod {
  return { ...runtimePod, ips: podIPs?.map(({ ip }) => ip) ?? [] };
}

/** Null: the annotation is missing or is not a time; then nothing is measured. */
function readTime(text: string | undefined): number | null {
  try {
    return text === undefined ? null : parseTime(text).ms;
  } catch {
    return null;
  }
}

function isAttachmentLimit(error: unknown): boolean {
  return error instanceof PodkeepError && error.code === VOLUME_ATTACHMENT_LIMIT;
}
