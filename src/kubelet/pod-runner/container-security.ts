/** Who a container runs as and what it may do: its own words first, then the pod's. */
import type { Pod } from '../../api/pod.ts';
import { defineError } from '../../lib/errors.ts';
import type { ContainerSecurity } from '../../ports/runtime/container-config.ts';
import type { Image } from '../../ports/runtime/image-store.ts';
import {
  podReferenceOf,
  podTitle,
  runSpecOf,
  type RunContainer,
  type SecurityProfile,
} from './run-spec.ts';

export const wouldRunAsRoot = defineError<{ reason: string }>({
  code: 'WOULD_RUN_AS_ROOT',
  retry: 'never',
  message: ({ reason }) => reason,
  hint: () => 'Set runAsUser to a number other than 0, or leave runAsNonRoot out.',
});

export function containerSecurity(
  pod: Pod,
  container: RunContainer,
  extras: {
    readonly supplementalGroups: readonly number[];
    readonly targetContainerId?: string | undefined;
  },
): ContainerSecurity {
  const { securityContext: podContext = {} } = runSpecOf(pod);
  const { securityContext: own = {} } = container;
  const { fsGroup, supplementalGroups = [] } = podContext;
  const runAsUser = own.runAsUser ?? podContext.runAsUser;
  const runAsGroup = own.runAsGroup ?? podContext.runAsGroup;
  const seccomp = profileName(own.seccompProfile ?? podContext.seccompProfile);
  const appArmor = profileName(own.appArmorProfile ?? podContext.appArmorProfile);
  return {
    isPrivileged: own.privileged ?? false,
    isReadOnlyRoot: own.readOnlyRootFilesystem ?? false,
    noNewPrivileges: own.allowPrivilegeEscalation === false,
    addedCapabilities: own.capabilities?.add ?? [],
    droppedCapabilities: own.capabilities?.drop ?? [],
    supplementalGroups: [
      ...new Set([
        ...(fsGroup === undefined ? [] : [fsGroup]),
        ...extras.supplementalGroups,
        ...supplementalGroups,
      ]),
    ],
    ...(runAsUser !== undefined && { runAsUser }),
    ...(runAsGroup !== undefined && { runAsGroup }),
    ...(seccomp !== undefined && { seccomp }),
    ...(appArmor !== undefined && { appArmor }),
    ...(extras.targetContainerId !== undefined && { targetContainerId: extras.targetContainerId }),
  };
}

/**
 * Throws if the container must not run as root and might. An image that says nothing about its user
 * leaves the choice to the runtime; one that starts such images as root has to say so.
 */
export function checkNonRoot(
  pod: Pod,
  container: RunContainer,
  image: Pick<Image, 'uid' | 'userName'> | null,
): void {
  const { securityContext: podContext = {} } = runSpecOf(pod);
  const { securityContext: own = {} } = container;
  if (!(own.runAsNonRoot ?? podContext.runAsNonRoot ?? false)) return;
  const where = `(pod: "${podTitle(podReferenceOf(pod))}", container: ${container.name})`;
  const user = own.runAsUser ?? podContext.runAsUser;
  if (user === 0) {
    throw wouldRunAsRoot({ reason: `container's runAsUser breaks non-root policy ${where}` });
  }
  if (user !== undefined) return;
  if (image?.uid === 0) {
    const reason = `container has runAsNonRoot and image will run as root ${where}`;
    throw wouldRunAsRoot({ reason });
  }
  if (image?.userName) {
    const reason =
      `container has runAsNonRoot and image has non-numeric user (${image.userName}), ` +
      `cannot verify user is non-root ${where}`;
    throw wouldRunAsRoot({ reason });
  }
}

function profileName(profile: SecurityProfile | undefined): string | undefined {
  switch (profile?.type) {
    case 'RuntimeDefault':
      return 'runtime/default';
    case 'Unconfined':
      return 'unconfined';
    case 'Localhost':
      return `localhost/${profile.localhostProfile ?? ''}`;
    case undefined:
      return undefined;
  }
}
