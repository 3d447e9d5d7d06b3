/**
 * What a pod needs before its containers can be started: network, objects, control group, mirror,
 * folders, volumes, pull secrets and probes (KL-2, steps 8 to 14). In this order, each told to
 * users if it fails.
 */
import type { Pod, PodStatus } from '../../api/pod.ts';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import { isStaticPod } from '../../core/pod-facts.ts';
import { restartsOnFailure } from '../../core/restart-policy.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { Log } from '../../ports/log.ts';
import type { MirrorPods } from '../../ports/mirror-pods.ts';
import type { PodCgroups } from '../../ports/pod-cgroups.ts';
import type { PodFiles } from '../../ports/pod-files.ts';
import type { PodObjects } from '../../ports/pod-objects.ts';
import type { PodVolumes } from '../../ports/pod-volumes.ts';
import type { Prober } from '../../ports/prober.ts';
import type { FoundPullSecrets, PullSecrets } from '../../ports/pull-secrets.ts';
import { networkNotReady } from '../../ports/sync-failure.ts';
import type { PodRunner } from '../pod-runner/pod-runner.ts';
import { podReferenceOf } from '../pod-runner/run-spec.ts';
import { messageOf } from '../pod-runner/start-failure.ts';
import { cgroupNotMade } from './sync-errors.ts';

export interface PreparationRoom {
  readonly events: EventRecorder;
  readonly log: Log;
  readonly runner: Pick<PodRunner, 'stopPod'>;
  readonly files: Pick<PodFiles, 'makePodFolders'>;
  readonly volumes: PodVolumes;
  readonly prober: Prober;
  readonly objects?: PodObjects | undefined;
  readonly mirrors?: MirrorPods | undefined;
  readonly pullSecrets?: PullSecrets | undefined;
  /** Absent: pods have no control groups of their own here. */
  readonly cgroups?: PodCgroups | undefined;
  /** Null: the node's network is up. Otherwise why not. */
  readonly networkError: () => string | null;
  readonly isTerminationRequested: (podUid: string) => boolean;
}

export interface PreparedPod {
  readonly pod: Pod;
  readonly mirrorPod: Pod | null;
  readonly runtimePod: RuntimePod;
  readonly status: PodStatus;
}

const NO_SECRETS: FoundPullSecrets = { missing: [], credentialsFor: () => [] };

export async function preparePod(
  room: PreparationRoom,
  prepared: PreparedPod,
  signal: AbortSignal,
): Promise<FoundPullSecrets> {
  const { pod, mirrorPod } = prepared;
  const { uid } = podReferenceOf(pod);
  checkNetwork(room, pod);
  if (!room.isTerminationRequested(uid)) {
    room.objects?.registerPod(pod);
    await ensureCgroup(room, prepared, signal);
  }
  if (isStaticPod(pod)) await room.mirrors?.reconcile(pod, mirrorPod, signal);
  signal.throwIfAborted();
  await makeFolders(room, pod);
  await mountVolumes(room, pod, signal);
  const secrets = await findSecrets(room, pod, signal);
  room.prober.addPod(pod);
  return secrets;
}

function checkNetwork({ events, networkError }: PreparationRoom, pod: Pod): void {
  const reason = networkError();
  if (reason === null || pod.spec.hostNetwork) return;
  const error = networkNotReady({ reason });
  events.record(podReferenceOf(pod), 'Warning', 'NetworkNotReady', error.message);
  throw error;
}

/**
 * A pod whose group is gone runs outside of its limits: it is stopped, and starts inside (KL-3).
 */
async function ensureCgroup(
  { cgroups, runner, events, log }: PreparationRoom,
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
      log.warn('a pod without its control group could not be stopped', { pod: reference, error });
    }
  }
  const runsOnce = !pod.spec.containers.some((container) => restartsOnFailure(container, pod.spec));
  if (wasKilled && runsOnce) return;
  await cgroups.ensure(pod).catch((error: unknown) => {
    const reason = messageOf(error);
    const message = `unable to ensure pod container exists: ${reason}`;
    events.record(reference, 'Warning', 'FailedCreatePodContainer', message);
    throw cgroupNotMade({ uid: reference.uid, reason }, error);
  });
}

async function makeFolders({ files, events }: PreparationRoom, pod: Pod): Promise<void> {
  const reference = podReferenceOf(pod);
  await files.makePodFolders(reference).catch((error: unknown) => {
    const message = `error making pod data directories: ${messageOf(error)}`;
    events.record(reference, 'Warning', 'Failed', message);
    throw error;
  });
}

async function mountVolumes(
  { volumes, events }: PreparationRoom,
  pod: Pod,
  signal: AbortSignal,
): Promise<void> {
  await volumes.waitForMounts(pod, signal).catch((error: unknown) => {
    // Overtaken: the pod has to end, and nobody needs to hear of a mount that was given up (KL-5).
    if (signal.aborted) throw signal.reason;
    const message = `Unable to attach or mount volumes: ${messageOf(error)}`;
    events.record(podReferenceOf(pod), 'Warning', 'FailedMount', message);
    throw error;
  });
}

/** What is missing is told, and is no reason not to try. */
async function findSecrets(
  { pullSecrets, events }: PreparationRoom,
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
