/**
 * Makes the runtime match a pod's spec: carries out the plan of core/pod-actions.
 *
 *     stop the pod, or single containers ──> reset ──> prune ──> sandbox ──> resize
 *         ──> ephemeral ──> init and sidecars ──> regular containers
 *
 * The plan is made from the runtime's state, and from the last reported status: a container that has ended
 * for good according to that status is stopped if it runs again, and is not started (ended-containers.ts).
 *
 * A container that fails to start does not prevent others from starting, unless it is an init container,
 * which all others wait for. Failures are stored for the status (reason-cache.ts), and returned.
 */
import type { Pod } from '../../api/pod.ts';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import type { BackOffLimits } from '../../core/pod-actions/crash-backoff.ts';
import type { StartFailure } from '../../core/pod-status/container-status.ts';
import {
  holdForCrashBackOff,
  type HeldContainer,
} from '../../core/pod-actions/crash-backoff-hold.ts';
import { podActions } from '../../core/pod-actions/pod-actions.ts';
import type { PodActions, PodActionsView } from '../../core/pod-actions/plan.ts';
import { crashBackOffWait, SANDBOX_WAIT, startWait } from '../../core/pod-waits/wait-names.ts';
import { findNewest } from '../../core/pod/runtime-facts.ts';
import { parseTime } from '../../api/values/time.ts';
import { isSidecar } from '../../core/pod/pod-facts.ts';
import type { Log } from '../../ports/log.ts';
import type { ProbeOutcome } from '../../ports/pod/probe-results.ts';
import type { FoundPullSecrets } from '../../ports/api/pull-secrets.ts';
import { BackOffError } from '../../ports/pod/sync-failure.ts';
import { changedContainers } from '../../core/pod-actions/changed-containers.ts';
import { ContainerRemover, type RemovedContainer } from './stop/container-remover.ts';
import {
  ContainerStarter,
  type StarterDeps,
  type StartRequest,
} from './start/container-starter.ts';
import { ContainerStopper, type ContainerStop, type PodToStop } from './stop/container-stopper.ts';
import { CrashBackOffs } from './start/crash-backoffs.ts';
import type { LateRuns } from '../../core/pod-actions/ended-containers.ts';
import { sendHookRequest, type HookClient } from './hooks/http-hook.ts';
import { ImageManager } from './start/image-manager.ts';
import type { PullRecords } from '../images/pull-records.ts';
import { ReasonCache } from './start/reason-cache.ts';
import {
  actuatedOf,
  isResizing,
  needsResize,
  noteStart,
  resizePod,
  withRestartingResize,
  type ResizeDeps,
} from './start/resize.ts';
import {
  containerReferenceOf,
  podReferenceOf,
  podTitle,
  runSpecOf,
  type RunContainer,
} from '../../api/run-spec.ts';
import type { PodWaits } from '../waiting/pod-waits.ts';
import { makeSandbox, type MadeSandbox, type SandboxDeps } from './start/sandbox-maker.ts';
import { ContainerNotStarted, failureMessageOf } from './start/start-failure.ts';

export interface PodRunnerOptions
  extends
    SandboxDeps,
    ResizeDeps,
    Omit<StarterDeps, 'images' | 'stopper' | 'sendHook' | 'memoryCapacityBytes'> {
  readonly runtime: StarterDeps['runtime'];
  readonly log: Log;
  /** Sends the requests of httpGet hooks. */
  readonly sendHook?: HookClient;
  readonly parallelPullsMax?: number;
  /** See ImageManagerOptions. */
  readonly pulling?: ((podUid: string) => () => void) | undefined;
  readonly registryPullQps?: number | undefined;
  readonly registryBurst?: number | undefined;
  /** Records which secrets images were pulled with. */
  readonly pullRecords?: PullRecords | undefined;
  readonly crashBackOff?: BackOffLimits;
  /** Absent: what pods wait for is not recorded. */
  readonly waits?: PodWaits | undefined;
}

export interface RunRequest {
  readonly pod: Pod;
  /** Without late runs, which are in `late`. */
  readonly runtimePod: RuntimePod;
  readonly late: Pick<LateRuns, 'ended' | 'running'>;
  readonly secrets: FoundPullSecrets;
  readonly restartAllContainers: boolean;
  readonly liveness: ReadonlyMap<string, ProbeOutcome>;
  readonly startup: ReadonlyMap<string, ProbeOutcome>;
  /** Called when the sandbox and its network are ready, and before the first pull (KL-7). */
  readonly sandboxReady: () => void;
}

export interface RunResult {
  /**
   * No container of the pod runs or may start any more. The phase does not always show this: a container that
   * never ran keeps it Pending.
   */
  readonly isOver: boolean;
  /** The runtime was changed. */
  readonly hasActed: boolean;
  /** Containers were removed so that all of them start again (E-7). */
  readonly hasReset: boolean;
  /** Running containers got other resources: the runtime sends no event for that. */
  readonly hasResized: boolean;
  readonly resizeError: unknown;
  /** All errors, back-offs included. */
  readonly errors: readonly unknown[];
}

interface Progress {
  hasActed: boolean;
  hasReset: boolean;
  hasResized: boolean;
  resizeError: unknown;
  readonly errors: unknown[];
}

export class PodRunner {
  readonly #options: PodRunnerOptions;
  readonly #reasons = new ReasonCache();
  readonly #backOffs: CrashBackOffs;
  readonly #images: ImageManager;
  readonly #stopper: ContainerStopper;
  readonly #starter: ContainerStarter;
  readonly #remover: ContainerRemover;

  constructor(options: PodRunnerOptions) {
    const { runtime, clock, events, files, log, sendHook = sendHookRequest } = options;
    const { parallelPullsMax = 1, registryPullQps, registryBurst } = options;
    const deps = { ...options, sendHook };
    this.#options = options;
    this.#backOffs = new CrashBackOffs(options.crashBackOff);
    this.#images = new ImageManager({
      clock,
      events,
      images: runtime.images,
      parallelPullsMax,
      registryPullQps,
      registryBurst,
      records: options.pullRecords,
      pulling: options.pulling,
      waits: options.waits,
    });
    this.#stopper = new ContainerStopper(deps);
    this.#starter = new ContainerStarter({
      ...deps,
      images: this.#images,
      stopper: this.#stopper,
    });
    const removed = (id: string): void => this.#forget(id);
    this.#remover = new ContainerRemover({ runtime, files, log, stopper: this.#stopper, removed });
  }

  /** Why containers of this pod could not be started last time, by their names. */
  startFailures(pod: Pod): ReadonlyMap<string, StartFailure> {
    return this.#reasons.of(pod);
  }

  isResizing(pod: Pod, runtimePod: RuntimePod): boolean {
    return isResizing(this.#options, pod, runtimePod);
  }

  /** Rejects only with the signal's reason; everything else is in the result. */
  async sync(request: RunRequest, signal: AbortSignal): Promise<RunResult> {
    const progress: Progress = {
      hasActed: false,
      hasReset: false,
      hasResized: false,
      resizeError: null,
      errors: [],
    };
    const { actions, held } = this.#planFor(this.#viewOf(request));
    for (const container of held) this.#hold(request, container, progress);
    try {
      await this.#carryOut(request, actions, progress, signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      progress.errors.push(error);
    }
    const isOver = actions.killPod && !actions.createSandbox && progress.errors.length === 0;
    return { ...progress, isOver };
  }

  /** Stops all containers and sandboxes of a pod. Without a spec: no hooks, no order. */
  async stopPod(
    target: PodToStop,
    runtimePod: RuntimePod,
    graceSeconds: number | null,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#stopper.stopPod(target, runtimePod, graceSeconds, signal);
  }

  /** Stops one container of a running pod; its restart policy decides whether it starts again. */
  async stopContainer(pod: Pod, stop: ContainerStop, signal: AbortSignal): Promise<void> {
    await this.#stopper.stopContainer(pod, stop, signal);
  }

  /** Removes a container, its log, and everything stored about it. */
  async remove(container: RemovedContainer, signal: AbortSignal): Promise<void> {
    await this.#remover.remove(container, signal);
  }

  /** Forgets expired back-offs (KL-64, step 17). */
  collectGarbage(): void {
    this.#backOffs.collectGarbage(this.#options.clock.now());
    this.#images.collectGarbage();
  }

  #forget(containerId: string): void {
    this.#starter.forget(containerId);
    this.#stopper.forget(containerId);
  }

  #viewOf({
    pod,
    runtimePod,
    restartAllContainers,
    liveness,
    startup,
  }: RunRequest): PodActionsView {
    const cannotResize = !this.#options.runtime.updateResources;
    return {
      pod: cannotResize ? withRestartingResize(pod) : pod,
      runtime: runtimePod,
      restartAllContainers,
      changed: changedContainers(pod, runtimePod, this.#starter.hashes),
      liveness,
      startup,
      actuated: actuatedOf(this.#options, pod),
    };
  }

  #planFor(view: PodActionsView) {
    const now = this.#options.clock.now();
    return holdForCrashBackOff(view, podActions(view), this.#backOffs.all, now);
  }

  #hold({ pod, runtimePod }: RunRequest, held: HeldContainer, { errors }: Progress): void {
    const { name, message, until } = held;
    const reference = podReferenceOf(pod);
    const ended = findNewest(runtimePod, name);
    this.#options.waits?.wait(reference, crashBackOffWait(name), {
      why: message,
      sinceMs: ended?.finishedAt ? parseTime(ended.finishedAt).ms : undefined,
      attempts: (ended?.restartCount ?? 0) + 1,
      nextAtMs: until,
    });
    const text = `Back-off restarting failed container ${name} in pod ${podTitle(reference)}`;
    this.#options.events.record(containerReferenceOf(pod, name), 'Warning', 'BackOff', text);
    this.#reasons.failed(reference.uid, name, { reason: 'CrashLoopBackOff', message });
    errors.push(new BackOffError(message, until));
  }

  async #carryOut(
    request: RunRequest,
    actions: PodActions,
    progress: Progress,
    signal: AbortSignal,
  ): Promise<void> {
    const { ended } = request.late;
    await this.#stop(request, actions, progress, signal);
    await this.#remover.pruneInit(request.pod, request.runtimePod, signal);
    const sandbox = await this.#sandbox(request, actions, progress, signal);
    if (needsResize(actions)) await this.#resize(request.pod, actions, progress);
    const start = (container: RunContainer): Promise<boolean> =>
      this.#start({ ...request, container, sandboxId: sandbox.id, ...sandbox }, progress, signal);
    const { containers, initContainers = [], ephemeralContainers = [] } = runSpecOf(request.pod);
    for (const container of pick(ephemeralContainers, actions.ephemeralContainersToStart)) {
      await start(container);
    }
    for (const container of pick(initContainers, actions.initContainersToStart)) {
      if (!(await start(container)) && !isSidecar(container)) return;
    }
    for (const container of pick(containers, actions.containersToStart)) {
      if (!ended.has(container.name)) await start(container);
    }
  }

  async #stop(
    { pod, runtimePod, late }: RunRequest,
    actions: PodActions,
    progress: Progress,
    signal: AbortSignal,
  ): Promise<void> {
    const { killPod, createSandbox, sandboxID, containersToKill, containersToReset } = actions;
    const reference = podReferenceOf(pod);
    if (createSandbox && sandboxID !== '') {
      const message = 'Pod sandbox changed, it will be killed and re-created.';
      this.#options.events.record(reference, 'Normal', 'SandboxChanged', message);
    }
    progress.hasActed ||= killPod || containersToKill.length > 0 || containersToReset.length > 0;
    for (const { id, name } of late.running) {
      const message = `Container ${name} has ended for good and must not run again`;
      await this.#stopper.stopContainer(pod, { id, name, message, graceSeconds: null }, signal);
      progress.hasActed = true;
    }
    if (killPod) {
      await this.#stopper.stopPod({ reference, pod }, runtimePod, null, signal);
      if (createSandbox) await this.#remover.purgeInit(pod, runtimePod, signal);
      return;
    }
    for (const kill of containersToKill) {
      await this.#stopper.stopContainer(pod, { ...kill, graceSeconds: null }, signal);
    }
    await this.#remover.reset(pod, containersToReset, signal);
    progress.hasReset = containersToReset.length > 0;
  }

  async #sandbox(
    { pod, runtimePod, sandboxReady }: RunRequest,
    { createSandbox, sandboxID, attempt }: PodActions,
    progress: Progress,
    signal: AbortSignal,
  ): Promise<MadeSandbox> {
    if (!createSandbox) return { id: sandboxID, podIPs: runtimePod.ips };
    progress.hasActed = true;
    // The disk and the runtime need not wait for each other.
    const [sandbox] = await Promise.all([
      this.#makeSandbox(pod, attempt, signal),
      noteStart(this.#options, pod),
    ]);
    sandboxReady();
    // The pod then has the host's addresses, which the runtime does not know.
    return pod.spec.hostNetwork ? { ...sandbox, podIPs: runtimePod.ips } : sandbox;
  }

  async #makeSandbox(pod: Pod, attempt: number, signal: AbortSignal): Promise<MadeSandbox> {
    const { waits } = this.#options;
    const reference = podReferenceOf(pod);
    try {
      const sandbox = await makeSandbox(this.#options, pod, attempt, signal);
      waits?.over(reference, SANDBOX_WAIT);
      return sandbox;
    } catch (error) {
      if (!signal.aborted) waits?.wait(reference, SANDBOX_WAIT, { why: failureMessageOf(error) });
      throw error;
    }
  }

  async #resize(pod: Pod, actions: PodActions, progress: Progress): Promise<void> {
    progress.hasActed = true;
    try {
      await resizePod(this.#options, pod, actions);
      progress.hasResized = true;
    } catch (error) {
      progress.resizeError = error;
      progress.errors.push(error);
    }
  }

  /** Returns whether the container was started. */
  async #start(request: StartRequest, progress: Progress, signal: AbortSignal): Promise<boolean> {
    const { pod, container, runtimePod } = request;
    const reference = podReferenceOf(pod);
    const { uid } = reference;
    const { waits } = this.#options;
    signal.throwIfAborted();
    progress.hasActed = true;
    waits?.over(reference, crashBackOffWait(container.name));
    this.#backOffs.starting(pod, container, runtimePod, this.#options.clock.now());
    try {
      await this.#starter.start(request, signal);
      this.#reasons.started(uid, container.name);
      waits?.over(reference, startWait(container.name));
      return true;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const reason = error instanceof ContainerNotStarted ? error.reason : 'RunContainerError';
      const message = failureMessageOf(error);
      this.#reasons.failed(uid, container.name, { reason, message });
      waits?.wait(reference, startWait(container.name), { why: `${reason}: ${message}` });
      progress.errors.push(error);
      return false;
    }
  }
}

function pick<Item>(list: readonly Item[], indexes: readonly number[]): readonly Item[] {
  return indexes.flatMap((index) => list[index] ?? []);
}
