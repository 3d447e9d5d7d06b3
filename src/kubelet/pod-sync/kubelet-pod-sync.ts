/**
 * The four recipes by which pod workers bring a pod where it should be (KL-1 to KL-14).
 *
 *     syncPod             status ──> what it needs ──> containers ──> look again if something failed
 *     syncTerminatingPod  status ──> stop ──> look ──> last status with exit codes
 *     syncTerminatedPod   status ──> volumes gone ──> the rest given back ──> finished
 *
 * Every recipe can be called again after it failed, from wherever things stand. Every wait listens
 * to the signal, so that a pod that has to end, or to end faster, does (F-8).
 *
 * A sync that failed hands over a second status at its end. The kubelet shows why a container waits
 * only with the sync after; here it is shown for as long as the container waits (F-11).
 */
import { isConditionTrue } from '../../api/condition.ts';
import type { Pod, PodStatus } from '../../api/pod.ts';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import { parseTime } from '../../api/time.ts';
import { ALL_CONTAINERS_RESTARTING } from '../../core/condition-ownership.ts';
import { isTerminalPhase } from '../../core/pod-facts.ts';
import { PodkeepError } from '../../lib/errors.ts';
import type { PodCache } from '../../ports/pod-cache.ts';
import type { PodReference } from '../../ports/pod-reference.ts';
import type {
  PodSync,
  ReleaseRequest,
  StatusOverride,
  StopRequest,
  SyncRequest,
  SyncResult,
} from '../../ports/pod-sync.ts';
import { VOLUME_ATTACHMENT_LIMIT } from '../../ports/pod-volumes.ts';
import type { FoundPullSecrets } from '../../ports/pull-secrets.ts';
import type { StateStore } from '../../ports/state-store.ts';
import { findLateRuns, type LateRuns } from '../pod-runner/ended-containers.ts';
import type { PodRunner, RunResult } from '../pod-runner/pod-runner.ts';
import { podReferenceOf } from '../pod-runner/run-spec.ts';
import { messageOf } from '../pod-runner/start-failure.ts';
import { wait } from '../pod-runner/wait.ts';
import { preparePod, type PreparationRoom, type PreparedPod } from './pod-preparation.ts';
import { ResizeTeller } from './resize-teller.ts';
import type { StartLine } from './start-line.ts';
import { StatusTeller, type StatusTellerOptions } from './status-teller.ts';
import { containersStillRun, podNotKilled, podNotSynced } from './sync-errors.ts';

export interface KubeletPodSyncOptions
  extends PreparationRoom, Omit<StatusTellerOptions, 'runner'> {
  readonly runner: PodRunner;
  readonly prober: PreparationRoom['prober'];
  readonly cache: PodCache;
  /** Looks at the pod in the runtime soon, and tells the workers of news. */
  readonly relist: (podUid: string) => void;
  /** Asks for one more sync, at once (E-7). */
  readonly requestSync: (pod: Pod, mirrorPod: Pod | null) => void;
  readonly actuated?: StateStore | undefined;
  readonly observer?: PodStartObserver | undefined;
  /** Where pods wait for their turn to start; absent: nobody has to. */
  readonly starts?: StartLine;
}

/** What metrics want to know. Seconds since the pod was first seen here. */
export interface PodStartObserver {
  workerStarted(seconds: number): void;
  podBecameRunning(seconds: number): void;
}

const SEEN_ANNOTATION = 'kubernetes.io/config.seen';
/** A pod that nobody knows any more gets the shortest time (KL-12). */
const ORPHAN_GRACE_SECONDS = 1;
const VOLUME_POLL_MS = 100;

export class KubeletPodSync implements PodSync {
  readonly #options: KubeletPodSyncOptions;
  readonly #status: StatusTeller;
  readonly #resize: ResizeTeller;

  constructor(options: KubeletPodSyncOptions) {
    this.#options = options;
    this.#status = new StatusTeller(options);
    this.#resize = new ResizeTeller(options);
  }

  async syncPod(request: SyncRequest, signal: AbortSignal): Promise<SyncResult> {
    const { pod, mirrorPod, updateType } = request;
    if (updateType === 'create')
      this.#sinceSeen(pod, (s) => this.#options.observer?.workerStarted(s));
    const before = this.#status.said(pod);
    const late = findLateRuns(pod, request.runtimePod, before);
    this.#resize.look(pod, late.runtimePod);
    const status = this.#status.tell(pod, late.runtimePod, false);
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
      // What has a sandbox has begun, and mostly needs nothing.
      const waits = starts !== undefined && runtimePod.sandboxes.length === 0;
      const result = waits ? await starts.run(start, signal) : await start();
      return await this.#conclude(request, result, signal);
    } catch (error) {
      if (signal.aborted || !isAttachmentLimit(error)) throw error;
      return this.#reject(pod, messageOf(error));
    }
  }

  async syncTerminatingPod(request: StopRequest, signal: AbortSignal): Promise<void> {
    const { pod, runtimePod, graceSeconds, overrideStatus } = request;
    const { prober, cache, clock } = this.#options;
    const reference = podReferenceOf(pod);
    this.#tell(pod, runtimePod, false, overrideStatus);
    prober.stopLivenessAndStartup(pod);
    await this.#stop(reference, pod, runtimePod, graceSeconds, signal);
    prober.removePod(pod);
    const stopped = await cache.newerThan(reference.uid, clock.monotonic(), signal);
    const running = stopped.containers.filter(({ state }) => state === 'running');
    if (running.length > 0) throw containersStillRun({ ids: running.map(({ id }) => id) });
    // Exit codes are told now: when the pod is released, its containers may be gone (KL-11).
    this.#tell(pod, { ...stopped, ips: runtimePod.ips }, true);
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
    this.#tell(pod, runtimePod, true);
    await volumes.waitForUnmount(pod, signal);
    while (await volumes.volumesExist(uid)) await wait(clock, VOLUME_POLL_MS, signal);
    objects?.unregisterPod(pod);
    await cgroups?.destroy(pod);
    await actuated?.removePod(uid);
    status.terminatePod(pod);
  }

  #tell(
    pod: Pod,
    seen: RuntimePod,
    isTerminal: boolean,
    override: StatusOverride | null = null,
  ): PodStatus {
    const { runtimePod } = findLateRuns(pod, seen, this.#status.said(pod));
    return this.#status.tell(pod, runtimePod, isTerminal, override);
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
      sandboxReady: () => this.#status.tellReadyToStart(pod),
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
      const reasons = result.errors.map(messageOf);
      const cause = new AggregateError(result.errors);
      throw podNotSynced({ pod: `${namespace}/${name}`, reasons }, cause);
    }
    if (result.hasReset || result.hasResized) requestSync(pod, mirrorPod);
    const afterSync = (): void => relist(uid);
    return { terminal: result.isOver, ...(result.hasActed && { afterSync }) };
  }

  /** Tells what came of a sync that failed. Returns whether that was the end of the pod. */
  async #lookAgain(pod: Pod, signal: AbortSignal): Promise<boolean> {
    const { cache, clock, log } = this.#options;
    const reference = podReferenceOf(pod);
    try {
      const seen = await cache.newerThan(reference.uid, clock.monotonic(), signal);
      return isTerminalPhase(this.#tell(pod, seen, false).phase);
    } catch (error) {
      signal.throwIfAborted();
      // Why the sync failed matters more than that it cannot be shown yet.
      log.warn('a pod could not be looked at after its sync', { pod: reference, error });
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
      const reason = messageOf(error);
      events.record(reference, 'Warning', 'FailedKillPod', `error killing pod: ${reason}`);
      throw podNotKilled({ reason }, error);
    }
  }

  /** The node cannot take the pod at all (KL-5, KL-62). */
  #reject(pod: Pod, message: string): SyncResult {
    const { events, status } = this.#options;
    const reason = 'VolumeAttachmentLimitExceeded';
    const { qosClass } = this.#status.said(pod);
    events.record(podReferenceOf(pod), 'Warning', reason, message);
    status.setPodStatus(pod, {
      phase: 'Failed',
      reason,
      message: `Pod was rejected: ${message}`,
      ...(qosClass && { qosClass }),
    });
    return { terminal: true };
  }

  /** Counted when it goes from Pending to Running, and only then (F-19). */
  #observeStart(pod: Pod, before: PodStatus, { phase }: PodStatus): void {
    if (before.phase !== 'Pending' || phase !== 'Running') return;
    this.#sinceSeen(pod, (seconds) => this.#options.observer?.podBecameRunning(seconds));
  }

  #sinceSeen(pod: Pod, observe: (seconds: number) => void): void {
    const seenAtMs = readTime(pod.metadata.annotations?.[SEEN_ANNOTATION]);
    if (seenAtMs !== null) observe((this.#options.clock.now() - seenAtMs) / 1000);
  }
}

/** With the host's network the node's addresses are the pod's, which the runtime does not know. */
function withAddresses(runtimePod: RuntimePod, { podIPs }: PodStatus): RuntimePod {
  return { ...runtimePod, ips: podIPs?.map(({ ip }) => ip) ?? [] };
}

/** Whoever wrote something else there gets no measurement, and no other trouble. */
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
