/**
 * Converts CRI's ContainerStatus to podkeep's RuntimeContainer.
 *
 * The labels that kubelets set take precedence over the runtime's names, so containers that Kubernetes'
 * kubelet created are read in the same way.
 */
import { resourcesOfKernel } from '../../../api/kernel-resources.ts';
import type { ContainerUser } from '../../../api/pod.ts';
import type {
  RuntimeContainer,
  RuntimeContainerState,
  RuntimeResources,
} from '../../../api/runtime-pod.ts';
import { fullId } from '../container-id.ts';
import { CONTAINER_NAME, HASH, RESTART_COUNT, TERMINATION_MESSAGE_PATH } from '../labels.ts';
import type { ContainerStatus } from '../messages/container-messages.ts';
import type { Sent } from '../messages/message.ts';
import { timeOf } from './time-view.ts';

type Status = Sent<typeof ContainerStatus>;

export interface SeenContainer {
  readonly container: RuntimeContainer;
  readonly createdAt: bigint;
}

const STATES: Readonly<Record<Status['state'], RuntimeContainerState>> = {
  CONTAINER_CREATED: 'created',
  CONTAINER_RUNNING: 'running',
  CONTAINER_EXITED: 'exited',
  CONTAINER_UNKNOWN: 'unknown',
  UNRECOGNIZED: 'unknown',
};

export function viewContainer(
  status: Status,
  sandboxID: string,
  runtimeName: string,
): SeenContainer {
  const { metadata, labels, annotations, image, createdAt } = status;
  const state = STATES[status.state];
  const hash = annotations[HASH];
  const container = {
    id: fullId(runtimeName, status.id),
    name: labels[CONTAINER_NAME] ?? metadata?.name ?? '',
    state,
    sandboxID,
    restartCount: restartCountOf(status),
    image: image?.image ?? '',
    imageRef: status.imageRef,
    createdAt: timeOf(createdAt),
    ...(state !== 'created' && { startedAt: timeOf(status.startedAt) }),
    ...(state === 'exited' && endOf(status)),
    ...resourcesOf(status),
    ...userOf(status),
    ...(hash !== undefined && { hash }),
    ...terminationFileOf(status),
  };
  return { container, createdAt };
}

function restartCountOf({ annotations, metadata }: Status): number {
  const noted = Number(annotations[RESTART_COUNT] ?? Number.NaN);
  return Number.isInteger(noted) ? noted : (metadata?.attempt ?? 0);
}

function endOf({ exitCode, finishedAt, reason, message }: Status): Partial<RuntimeContainer> {
  return { exitCode, finishedAt: timeOf(finishedAt), reason, message };
}

function resourcesOf({ resources }: Status): { readonly resources?: RuntimeResources } {
  const linux = resources?.linux;
  if (!linux) return {};
  const { cpuShares, cpuQuota, cpuPeriod, memoryLimitInBytes: memoryLimitBytes } = linux;
  return { resources: resourcesOfKernel({ cpuShares, cpuQuota, cpuPeriod, memoryLimitBytes }) };
}

function userOf({ user }: Status): { readonly user?: ContainerUser } {
  if (!user?.linux) return {};
  const { uid, gid, supplementalGroups } = user.linux;
  return { user: { linux: { uid, gid, supplementalGroups } } };
}

/** The host's path of the container's termination message. */
function terminationFileOf(status: Status): { readonly terminationFile?: string } {
  const noted = status.annotations[TERMINATION_MESSAGE_PATH];
  const mount = status.mounts.find(({ containerPath }) => containerPath === noted);
  return mount ? { terminationFile: mount.hostPath } : {};
}
