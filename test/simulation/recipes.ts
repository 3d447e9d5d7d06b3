/**
 * The four recipes of the pod workers on the simulated runtime: small, and as the rules demand (KL-2,
 * KL-10, KL-12, KL-13). core/ decides what to do; the recipes only carry it out.
 */
import type { Pod, PodStatus } from '../../src/api/pod.ts';
import { formatTime } from '../../src/api/values/time.ts';
import { isStaticPod, isTerminalPhase } from '../../src/core/pod/pod-facts.ts';
import { podStatus } from '../../src/core/pod-status/pod-status.ts';
import type { PodReference } from '../../src/api/pod-reference.ts';
import type {
  PodSync,
  ReleaseRequest,
  StopRequest,
  SyncRequest,
  SyncResult,
} from '../../src/ports/pod/pod-sync.ts';
import { ContainerStarter } from './container-starter.ts';
import type { RecipeDeps } from './recipe-deps.ts';
import { wait } from './waits.ts';

/** The minimum grace period of a container (PW-46). */
const STOP_SECONDS_MIN = 2;

export class Recipes implements PodSync {
  readonly #options: RecipeDeps;
  readonly #starter: ContainerStarter;

  constructor(options: RecipeDeps) {
    this.#options = options;
    this.#starter = new ContainerStarter(options);
  }

  async syncPod(request: SyncRequest, signal: AbortSignal): Promise<SyncResult> {
    const { pod, runtimePod } = request;
    const { volumes, clock, mirrors, look } = this.#options;
    const uid = uidOf(pod);
    const status = await this.#handOver(request, false, signal);
    if (isTerminalPhase(status.phase)) return { terminal: true };
    if (isStaticPod(pod)) await mirrors.keep(pod);
    signal.throwIfAborted();
    await volumes.mount(uid, clock, signal);
    signal.throwIfAborted();
    const isOver = await this.#starter.start(pod, runtimePod, signal);
    return { terminal: isOver, afterSync: () => look(uid) };
  }

  async syncTerminatingPod(request: StopRequest, signal: AbortSignal): Promise<void> {
    const { pod, runtimePod, graceSeconds, overrideStatus } = request;
    const uid = uidOf(pod);
    await this.#handOver(request, false, signal, overrideStatus ?? undefined);
    const seconds =
      graceSeconds ??
      pod.metadata.deletionGracePeriodSeconds ??
      pod.spec.terminationGracePeriodSeconds ??
      0;
    await this.#stopAll(uid, seconds, signal);
    const after = await this.#options.cache.newerThan(uid, 0, signal);
    await this.#handOver({ pod, runtimePod: { ...after, ips: runtimePod.ips } }, true, signal);
  }

  async syncTerminatingRuntimePod({ uid }: PodReference, signal: AbortSignal): Promise<void> {
    await this.#stopAll(uid, 1, signal);
  }

  async syncTerminatedPod(request: ReleaseRequest, signal: AbortSignal): Promise<void> {
    const { pod } = request;
    const { volumes, status, clock } = this.#options;
    await this.#handOver(request, true, signal);
    await volumes.unmount(uidOf(pod), clock, signal);
    status.terminatePod(pod);
  }

  /** Between computing and storing a status, the probes may find a change (F-3). */
  async #handOver(
    { pod, runtimePod: runtime }: ReleaseRequest,
    isTerminal: boolean,
    signal: AbortSignal,
    override: (status: PodStatus) => PodStatus = (status) => status,
  ): Promise<PodStatus> {
    const { status, clock, prober, weather } = this.#options;
    const uid = uidOf(pod);
    const computed = podStatus({
      pod,
      lastReported: status.getPodStatus(uid),
      runtime,
      isTerminal,
      startFailures: this.#starter.failures(uid),
      probes: prober.of(uid),
      resizeConditions: status.resizeConditions(uid),
      hostIPs: ['192.168.0.1'],
      supportsRecursiveReadOnly: false,
      now: formatTime(clock.now()),
    });
    if (weather.strikes('work: status takes a while to compute')) {
      await wait(clock, weather.takesMs(50, 3000), signal);
    }
    const wanted = override(computed);
    status.handOverPodStatus(pod, wanted);
    return wanted;
  }

  async #stopAll(uid: string, graceSeconds: number, signal: AbortSignal): Promise<void> {
    const { runtime } = this.#options;
    const graceMs = Math.max(graceSeconds, STOP_SECONDS_MIN) * 1000;
    const stops = runtime.running(uid).map((id) => runtime.stop(uid, id, graceMs, signal));
    const failed = (await Promise.allSettled(stops)).filter((each) => each.status === 'rejected');
    if (failed.length > 0) {
      throw new AggregateError(
        failed.map(({ reason }) => reason as unknown),
        'error killing pod',
      );
    }
    runtime.stopSandboxes(uid);
  }
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? '';
}
