/**
 * Computes the container statuses of a pod from what the runtime knows about its containers (KL-35 to KL-46).
 *
 *     seed from the old status
 *       ├─ gone from the runtime ──> remember that it ran (lost-container.ts)
 *       └─ in the runtime ─────────> the newest record is `state`, the one before it is `lastState`
 *     then, if it has to be started and the last start failed, it is waiting with that failure's reason
 *
 * A known exit code is never lost: a container that ended keeps its old status until the runtime shows a
 * newer one.
 */
import { compareTimes } from '../../api/values/time.ts';
import type { Container, ContainerStatus, Pod } from '../../api/pod.ts';
import type { RuntimeContainer, RuntimePod } from '../../api/runtime-pod.ts';
import type { ActuatedResources } from '../pod-actions/plan.ts';
import { statusOfLost } from './lost-container.ts';
import { statusOfObserved } from './observed-container.ts';
import { isSidecar } from '../pod/pod-facts.ts';
import {
  findNewest,
  hasRegularContainerBeenCreated,
  shouldBeStarted,
} from '../pod/runtime-facts.ts';
import { volumeMountStatuses } from './volume-mount-status.ts';

/** Why the last attempt to start a container failed. */
export interface StartFailure {
  readonly reason: string;
  readonly message: string;
}

export interface ConversionView {
  readonly pod: Pod;
  readonly runtime: RuntimePod;
  /** The pod restarts in place, so missing containers were removed on purpose. */
  readonly isRestartingAll: boolean;
  readonly startFailures: ReadonlyMap<string, StartFailure>;
  readonly supportsRecursiveReadOnly: boolean;
  readonly actuated?: ActuatedResources | undefined;
}

export type ContainerKind = 'regular' | 'init' | 'ephemeral';

export function convertContainerStatuses(
  view: ConversionView,
  kind: ContainerKind,
  containers: readonly Container[],
  previous: readonly ContainerStatus[] | undefined,
): readonly ContainerStatus[] {
  const olds = new Map(previous?.map((status) => [status.name, status]));
  const statuses = containers.map((container) => {
    const old = olds.get(container.name);
    const status = currentStatus(view, container, old);
    return explainWaiting(view, kind, container, status);
  });
  if (kind === 'init') return statuses;
  return statuses.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function currentStatus(
  view: ConversionView,
  container: Container,
  old: ContainerStatus | undefined,
): ContainerStatus {
  const [newest, previous] = historyOf(view.runtime, container.name);
  if (!newest) return statusOfLost(view, seedStatus(view, container, old), old);
  const status = statusOfObserved(view, container, newest, old);
  if (!previous) return status;
  const { state = {} } = statusOfObserved(view, container, previous, old);
  return { ...status, lastState: state };
}

/** The records of one container, newest first (KL-38). */
function historyOf(runtime: RuntimePod, name: string): readonly RuntimeContainer[] {
  return runtime.containers
    .filter((container) => container.name === name)
    .sort((a, b) => compareTimes(b.createdAt, a.createdAt));
}

/** The status of a container without the runtime's records (KL-35, KL-36). */
function seedStatus(
  view: ConversionView,
  container: Container,
  old: ContainerStatus | undefined,
): ContainerStatus {
  if (old?.state?.terminated) return old;
  const hasInit = Boolean(view.pod.spec.initContainers?.length);
  const volumeMounts = volumeMountStatuses(container, view.supportsRecursiveReadOnly);
  return {
    name: container.name,
    state: { waiting: { reason: hasInit ? 'PodInitializing' : 'ContainerCreating' } },
    lastState: old?.lastState ?? {},
    ready: false,
    restartCount: old?.restartCount ?? 0,
    image: container.image ?? '',
    imageID: '',
    ...(volumeMounts.length > 0 ? { volumeMounts } : undefined),
  };
}

/** A container that is to be started but could not be is waiting, with the reason (KL-41). */
function explainWaiting(
  view: ConversionView,
  kind: ContainerKind,
  container: Container,
  status: ContainerStatus,
): ContainerStatus {
  const { pod, runtime, startFailures } = view;
  if (kind === 'init') {
    const newest = findNewest(runtime, container.name);
    if (newest?.state === 'exited' && newest.exitCode === 0) return status;
    if (!newest && isForgottenSuccess(view, container, status)) return forgottenSuccess(status);
  }
  if (!shouldBeStarted(pod, container, runtime)) return status;
  const failure = startFailures.get(container.name);
  if (!failure) return status;
  return {
    ...status,
    lastState: status.state?.terminated ? status.state : (status.lastState ?? {}),
    state: { waiting: { reason: failure.reason, message: failure.message } },
  };
}

/** An init container without a record must have succeeded if a regular one was created (E-23). */
function isForgottenSuccess(
  { pod, runtime }: ConversionView,
  container: Container,
  { state }: ContainerStatus,
): boolean {
  if (isSidecar(container) || !state?.waiting) return false;
  return hasRegularContainerBeenCreated(pod, runtime);
}

function forgottenSuccess(status: ContainerStatus): ContainerStatus {
  const message =
    'Unable to get init container status from container runtime and pod has been initialized, ' +
    'treat it as exited normally';
  return { ...status, state: { terminated: { reason: 'Completed', message, exitCode: 0 } } };
}
