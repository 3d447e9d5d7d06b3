/**
 * Prepares everything that a pod needs before its containers can start, in this order: network check,
 * objects, cgroup, mirror pod, folders, volumes, pull secrets and probes (KL-2, steps 8 to 14). Failures are
 * recorded as Events.
 */
import type { Pod, PodStatus } from '../../api/pod.ts';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import { isStaticPod } from '../../core/pod/pod-facts.ts';
import { restartsOnFailure } from '../../core/pod-actions/restart-policy.ts';
import { mountWait } from '../../core/pod-waits/wait-names.ts';
import type { EventRecorder } from '../../ports/observe/event-recorder.ts';
import type { Log } from '../../ports/log.ts';
import type { MirrorPods } from '../../ports/api/mirror-pods.ts';
import type { PodCgroups } from '../../ports/pod/pod-cgroups.ts';
import type { PodFiles } from '../../ports/pod/pod-files.ts';
import type { PodObjects } from '../../ports/api/pod-objects.ts';
import type { PodVolumes } from '../../ports/pod/pod-volumes.ts';
import type { Prober } from '../../ports/pod/prober.ts';
import type { FoundPullSecrets, PullSecrets } from '../../ports/api/pull-secrets.ts';
import { networkNotReady } from '../../ports/pod/sync-failure.ts';
import type { PodRunner } from '../containers/pod-runner.ts';
import { podReferenceOf } from '../../api/run-spec.ts';
import { failureMessageOf } from '../containers/start/start-failure.ts';
import type { PodWaits } from '../waiting/pod-waits.ts';
import { volumeWaits } from './volume-waits.ts';
import { cgroupNotMade } from './sync-errors.ts';

export interface PreparationDeps {
  readonly events: EventRecorder;
  readonly log: Log;
  readonly runner: Pick<PodRunner, 'stopPod'>;
  readonly files: Pick<PodFiles, 'makePodFolders'>;
  readonly volumes: PodVolumes;
  readonly prober: Prober;
  readonly objects?: PodObjects | undefined;
  readonly mirrors?: MirrorPods | undefined;
  readonly pullSecrets?: PullSecrets | undefined;
  /** Absent: pods have no cgroups here. */
  readonly cgroups?: PodCgroups | undefined;
  /** Why the node's network is not ready. Null: it is ready. */
  readonly networkError: () => string | null;
  readonly isTerminationRequested: (podUid: string) => boolean;
  /** Absent: what pods wait for is not recorded. */
  readonly waits?: PodWaits | undefined;
}

export interface PreparedPod {
  readonly pod: Pod;
  readonly mirrorPod: Pod | null;
  readonly runtimePod: RuntimePod;
  readonly status: PodStatus;
}

const NO_SECRETS: FoundPullSecrets = { missing: [], credentialsFor: () => [] };

export async function preparePod(
  deps: PreparationDeps,
  prepared: PreparedPod,
  signal: AbortSignal,
): Promise<FoundPullSecrets> {
  const { pod, mirrorPod } = prepared;
  const { uid } = podReferenceOf(pod);
  checkNetwork(deps, pod);
  if (!deps.isTerminationRequested(uid)) {
    deps.objects?.registerPod(pod);
    await ensureCgroup(deps, prepared, signal);
  }
  if (isStaticPod(pod)) await deps.mirrors?.reconcile(pod, mirrorPod, signal);
  signal.throwIfAborted();
  await makeFolders(deps, pod);
  await mountVolumes(deps, pod, signal);
  const secrets = await findSecrets(deps, pod, signal);
  deps.prober.addPod(pod);
  return secrets;
}

function checkNetwork({ events, networkError }: PreparationDeps, pod: Pod): void {
  const reason = networkError();
  if (reason === null || pod.spec.hostNetwork) return;
  const error = networkNotReady({ reason });
  events.record(podReferenceOf(pod), 'Warning', 'NetworkNotReady', error.message);
  throw error;
}

/**
 * If the cgroup of a running pod is missing, the pod runs without its limits, so it is stopped and starts
 * again in a new cgroup (KL-3).
 */
async function ensureCgroup(
  { cgroups, runner, events, log }: PreparationDeps,
  { pod, runtimePod, status }: PreparedPod,
  signal: AbortSignal,
): Promise<void> {
  if (!cgroups || cgroups.exists(pod)) return;
  const reference = podReferenceOf(pod);
  const isRunning = status.containerStatuses?.some(({ state }) => state?.running) ?? false;
  let wasKilled = false;
  if (isRunning) {
    try {
      await runner.stopPod({ reference, pod }, runtimePod, null, signal);
      wasKilled = true;
    } catch (error) {
      signal.throwIfAborted();
      log.warn('Failed to kill pod whose cgroup is missing', { pod: reference, error });
    }
  }
  const runsOnce = !pod.spec.containers.some((container) => restartsOnFailure(container, pod.spec));
  if (wasKilled && runsOnce) return;
  await cgroups.ensure(pod).catch((error: unknown) => {
    const reason = failureMessageOf(error);
    const message = `unable to ensure pod container exists: ${reason}`;
    events.record(reference, 'Warning', 'FailedCreatePodContainer', message);
    throw cgroupNotMade({ uid: reference.uid, reason }, error);
  });
}

async function makeFolders({ files, events }: PreparationDeps, pod: Pod): Promise<void> {
  const reference = podReferenceOf(pod);
  await files.makePodFolders(reference).catch((error: unknown) => {
    const message = `error making pod data directories: ${failureMessageOf(error)}`;
    events.record(reference, 'Warning', 'Failed', message);
    throw error;
  });
}

async function mountVolumes(
  { volumes, events, waits }: PreparationDeps,
  pod: Pod,
  signal: AbortSignal,
): Promise<void> {
  const waiting = volumeWaits(waits, podReferenceOf(pod), mountWait);
  await volumes.waitForMounts(pod, signal, waiting).catch((error: unknown) => {
    // The sync was cancelled because the pod has to stop; an aborted mount needs no Event (KL-5).
    if (signal.aborted) throw signal.reason;
    const message = `Unable to attach or mount volumes: ${failureMessageOf(error)}`;
    events.record(podReferenceOf(pod), 'Warning', 'FailedMount', message);
    throw error;
  });
}

/** Missing secrets are recorded as an Event; the pull is tried anyway. */
async function findSecrets(
  { pullSecrets, events }: PreparationDeps,
  pod: Pod,
  signal: AbortSignal,
): Promise<FoundPullSecrets> {
  const found = (await pullSecrets?.find(pod, signal)) ?? NO_SECRETS;
  if (found.missing.length > 0) {
    const message =
      `Unable to retrieve some image pull secrets (${found.missing.join(', ')}); ` +
      'attempting to pull the image may not succeed.';
    events.record(podReferenceOf(pod), 'Warning', 'FailedToRetrieveImagePullSecret', message);
  }
  return found;
}
