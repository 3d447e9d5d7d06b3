/** Converts podkeep's ContainerConfig to CRI's, for CreateContainer. */
import { MASKED_PATHS, READONLY_PATHS } from '../../../api/masked-paths.ts';
import type {
  ContainerConfig,
  ContainerSecurity,
  Mount,
} from '../../../ports/runtime/container-config.ts';
import { bareId } from '../container-id.ts';
import { CONTAINER_NAME, POD_NAME, POD_NAMESPACE, POD_UID, RESTART_COUNT } from '../labels.ts';
import type {
  ContainerConfigMessage,
  LinuxContainerSecurityContext,
  MountMessage,
} from '../messages/container-messages.ts';
import type { NamespaceOption } from '../messages/common-messages.ts';
import type { ToSend } from '../messages/message.ts';
import { criSignal, SIGNALS } from '../messages/signals.ts';
import { resourcesMessage } from './resources.ts';
import type { SandboxMessage } from './sandbox-request.ts';
import { profileMessage, seLinuxMessage, valueMessage } from './security.ts';

const ALL = 'rwm';
const PROPAGATIONS = {
  None: 'PROPAGATION_PRIVATE',
  HostToContainer: 'PROPAGATION_HOST_TO_CONTAINER',
  Bidirectional: 'PROPAGATION_BIDIRECTIONAL',
} as const;

export function containerMessage(
  config: ContainerConfig,
  sandbox: SandboxMessage,
): ToSend<typeof ContainerConfigMessage> {
  const { name, attempt } = config;
  const encoder = new TextEncoder();
  return {
    metadata: { name, attempt },
    image: { image: config.imageRef, userSpecifiedImage: config.image },
    command: config.command,
    args: config.args,
    workingDir: config.workingDir,
    envs: config.env.map(({ name: key, value }) => ({ key, value: encoder.encode(value) })),
    mounts: config.mounts.map(mountMessage),
    devices: config.devices.map((device) => ({
      hostPath: device,
      containerPath: device,
      permissions: ALL,
    })),
    labels: { ...identityOf(sandbox), ...config.labels, [CONTAINER_NAME]: name },
    annotations: { [RESTART_COUNT]: String(attempt), ...config.annotations },
    logPath: config.logPath,
    stdin: config.stdin,
    stdinOnce: config.stdinOnce,
    tty: config.tty,
    stopSignal: signalOf(config.stopSignal),
    linux: {
      resources: resourcesMessage(config.resources),
      securityContext: securityMessage(config.security, sandbox),
    },
  };
}

/** The labels by which podkeep finds the container again. */
function identityOf({ metadata }: SandboxMessage): Readonly<Record<string, string>> {
  const { name = '', namespace = '', uid = '' } = metadata ?? {};
  return { [POD_NAME]: name, [POD_NAMESPACE]: namespace, [POD_UID]: uid };
}

function mountMessage(mount: Mount): ToSend<typeof MountMessage> {
  const { imageRef, imageSubPath } = mount;
  return {
    containerPath: mount.containerPath,
    hostPath: mount.hostPath,
    readonly: mount.isReadOnly,
    recursiveReadOnly: mount.isRecursiveReadOnly,
    propagation: PROPAGATIONS[mount.propagation],
    image: imageRef === undefined ? undefined : { image: imageRef },
    imageSubPath,
  };
}

function securityMessage(
  security: ContainerSecurity,
  sandbox: SandboxMessage,
): ToSend<typeof LinuxContainerSecurityContext> {
  const { isPrivileged, maskedPaths = MASKED_PATHS, readonlyPaths = READONLY_PATHS } = security;
  return {
    privileged: isPrivileged,
    readonlyRootfs: security.isReadOnlyRoot,
    noNewPrivs: security.noNewPrivileges,
    capabilities: {
      addCapabilities: security.addedCapabilities,
      dropCapabilities: security.droppedCapabilities,
    },
    runAsUser: valueMessage(security.runAsUser),
    runAsGroup: valueMessage(security.runAsGroup),
    supplementalGroups: security.supplementalGroups,
    supplementalGroupsPolicy: security.supplementalGroupsPolicy,
    seccomp: profileMessage(security.seccomp),
    apparmor: profileMessage(security.appArmor),
    selinuxOptions: seLinuxMessage(security.seLinux),
    maskedPaths: isPrivileged ? [] : maskedPaths,
    readonlyPaths: isPrivileged ? [] : readonlyPaths,
    namespaceOptions: namespacesOf(security, sandbox),
  };
}

/** The namespaces of the sandbox; an ephemeral container shares the process namespace of its target. */
function namespacesOf(
  { targetContainerId }: ContainerSecurity,
  { linux }: SandboxMessage,
): ToSend<typeof NamespaceOption> {
  const own = linux?.securityContext?.namespaceOptions ?? {};
  if (targetContainerId === undefined) return own;
  return { ...own, pid: 'TARGET', targetId: bareId(targetContainerId) };
}

/** Undefined: CRI does not know the signal, so the image or the runtime decides. */
function signalOf(stopSignal: string): string | undefined {
  const signal = criSignal(stopSignal);
  return SIGNALS.includes(signal) ? signal : undefined;
}
