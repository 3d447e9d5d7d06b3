/**
 * Computes the user and the privileges of a container: its own securityContext takes precedence over the
 * pod's.
 */
import path from 'node:path';
import type { Pod } from '../../../api/pod.ts';
import { defineError } from '../../../lib/errors.ts';
import type { ContainerSecurity } from '../../../ports/runtime/container-config.ts';
import type { Image } from '../../../ports/runtime/image-store.ts';
import { READONLY_PATHS } from '../../../api/masked-paths.ts';
import type { ContainerSettings } from './container-settings.ts';
import {
  podReferenceOf,
  podTitle,
  runSpecOf,
  type PodSecurityContext,
  type RunContainer,
  type SecurityProfile,
} from '../../../api/run-spec.ts';

const USER_ID_MAX = 2 ** 31 - 1;
const APP_ARMOR_ANNOTATION = 'container.apparmor.security.beta.kubernetes.io/';

export const wouldRunAsRoot = defineError<{ reason: string }>({
  code: 'WOULD_RUN_AS_ROOT',
  retry: 'never',
  message: ({ reason }) => reason,
  hint: () => 'Set runAsUser to a number other than 0, or remove runAsNonRoot.',
});

export const seccompProfileNameless = defineError<{ type: string }>({
  code: 'SECCOMP_PROFILE_NAMELESS',
  retry: 'never',
  message: ({ type }) => `localhostProfile must be set if seccompProfile type is ${type}.`,
  hint: () => 'Name a file below the seccomp folder of the node, such as profiles/audit.json.',
});

export interface SecurityExtras {
  readonly supplementalGroups: readonly number[];
  readonly targetContainerId?: string | undefined;
  readonly settings: Pick<ContainerSettings, 'seccompDefault' | 'seccompFolder' | 'maskedPaths'>;
}

export function containerSecurity(
  pod: Pod,
  container: RunContainer,
  extras: SecurityExtras,
): ContainerSecurity {
  const { securityContext: podContext = {} } = runSpecOf(pod);
  const { securityContext: own = {} } = container;
  const { supplementalGroupsPolicy } = podContext;
  const runAsUser = own.runAsUser ?? podContext.runAsUser;
  const runAsGroup = own.runAsGroup ?? podContext.runAsGroup;
  const seLinux = own.seLinuxOptions ?? podContext.seLinuxOptions;
  const appArmor = appArmorOf(pod, container);
  const isUnmasked = own.procMount === 'Unmasked';
  return {
    isPrivileged: own.privileged ?? false,
    isReadOnlyRoot: own.readOnlyRootFilesystem ?? false,
    noNewPrivileges: own.allowPrivilegeEscalation === false,
    addedCapabilities: own.capabilities?.add ?? [],
    droppedCapabilities: own.capabilities?.drop ?? [],
    supplementalGroups: groupsOf(podContext, extras.supplementalGroups),
    seccomp: seccompOf(own.seccompProfile ?? podContext.seccompProfile, extras.settings),
    maskedPaths: isUnmasked ? [] : extras.settings.maskedPaths,
    readonlyPaths: isUnmasked ? [] : READONLY_PATHS,
    ...(runAsUser !== undefined && { runAsUser }),
    ...(runAsGroup !== undefined && { runAsGroup }),
    ...(supplementalGroupsPolicy !== undefined && { supplementalGroupsPolicy }),
    ...(seLinux !== undefined && { seLinux }),
    ...(appArmor !== undefined && { appArmor }),
    ...(extras.targetContainerId !== undefined && { targetContainerId: extras.targetContainerId }),
  };
}

/** The groups of the pod's securityContext, and those that its volumes need. */
export function groupsOf(
  { fsGroup, supplementalGroups = [] }: PodSecurityContext,
  ofVolumes: readonly number[],
): readonly number[] {
  const own = fsGroup === undefined ? [] : [fsGroup];
  return [...new Set([...own, ...supplementalGroups, ...ofVolumes])];
}

/**
 * Throws if the container must not run as root (runAsNonRoot), but might. An image without a user leaves the
 * choice to the runtime; a runtime that starts such images as root has to report uid 0.
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
  if (image?.uid !== undefined && (image.uid < 0 || image.uid > USER_ID_MAX)) {
    const reason =
      `container has runAsNonRoot and image has an invalid user id (${image.uid}). ` +
      `(Must be 1-(${USER_ID_MAX})): must be between 0 and ${USER_ID_MAX}, inclusive ${where}`;
    throw wouldRunAsRoot({ reason });
  }
  if (image?.userName) {
    const reason =
      `container has runAsNonRoot and image has non-numeric user (${image.userName}), ` +
      `cannot verify user is non-root ${where}`;
    throw wouldRunAsRoot({ reason });
  }
}

function seccompOf(
  profile: SecurityProfile | undefined,
  { seccompDefault, seccompFolder }: SecurityExtras['settings'],
): string {
  switch (profile?.type) {
    case 'RuntimeDefault':
      return 'runtime/default';
    case 'Unconfined':
      return 'unconfined';
    case 'Localhost': {
      if (!profile.localhostProfile) throw seccompProfileNameless(profile);
      return `localhost/${path.join(seccompFolder, profile.localhostProfile)}`;
    }
    case undefined:
      return seccompDefault ? 'runtime/default' : 'unconfined';
  }
}

/**
 * The container's own profile first, then the annotation, which manifests of static pods may still have, then
 * the profile of the pod.
 */
function appArmorOf(pod: Pod, { name, securityContext }: RunContainer): string | undefined {
  const annotation = pod.metadata.annotations?.[`${APP_ARMOR_ANNOTATION}${name}`] ?? '';
  const isProfile = annotation === 'runtime/default' || annotation === 'unconfined';
  const annotated = isProfile || annotation.startsWith('localhost/') ? annotation : undefined;
  return (
    appArmorName(securityContext?.appArmorProfile) ??
    annotated ??
    appArmorName(runSpecOf(pod).securityContext?.appArmorProfile)
  );
}

function appArmorName(profile: SecurityProfile | undefined): string | undefined {
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
