/** CRI messages about containers. Field numbers are those of runtime/v1/api.proto. */
import {
  Capability,
  GROUPS_POLICIES,
  IdMapping,
  ImageSpec,
  Int64Value,
  LinuxContainerResources,
  NamespaceOption,
  SecurityProfile,
  SelinuxOption,
} from './common-messages.ts';
import {
  bool,
  bytes,
  choice,
  int32,
  int64,
  int64s,
  labels,
  many,
  nanoseconds,
  one,
  text,
  texts,
  uint32,
} from './fields.ts';
import { message } from './message.ts';
import { PodSandboxConfig } from './sandbox-messages.ts';
import { SIGNALS } from './signals.ts';

export const ContainerMetadata = message({ name: text(1), attempt: uint32(2) });

const KeyValue = message({ key: text(1), value: bytes(2) });

export const MountMessage = message({
  containerPath: text(1),
  hostPath: text(2),
  readonly: bool(3),
  selinuxRelabel: bool(4),
  propagation: choice(5, [
    'PROPAGATION_PRIVATE',
    'PROPAGATION_HOST_TO_CONTAINER',
    'PROPAGATION_BIDIRECTIONAL',
  ]),
  uidMappings: many(6, IdMapping),
  gidMappings: many(7, IdMapping),
  recursiveReadOnly: bool(8),
  image: one(9, ImageSpec),
  imageSubPath: text(10),
});

const Device = message({ containerPath: text(1), hostPath: text(2), permissions: text(3) });
const CdiDevice = message({ name: text(1) });

export const LinuxContainerSecurityContext = message({
  capabilities: one(1, Capability),
  privileged: bool(2),
  namespaceOptions: one(3, NamespaceOption),
  selinuxOptions: one(4, SelinuxOption),
  runAsUser: one(5, Int64Value),
  runAsUsername: text(6),
  readonlyRootfs: bool(7),
  supplementalGroups: int64s(8),
  noNewPrivs: bool(11),
  runAsGroup: one(12, Int64Value),
  maskedPaths: texts(13),
  readonlyPaths: texts(14),
  seccomp: one(15, SecurityProfile),
  apparmor: one(16, SecurityProfile),
  supplementalGroupsPolicy: choice(17, GROUPS_POLICIES),
});

const LinuxContainerConfig = message({
  resources: one(1, LinuxContainerResources),
  securityContext: one(2, LinuxContainerSecurityContext),
});

export const ContainerConfigMessage = message({
  metadata: one(1, ContainerMetadata),
  image: one(2, ImageSpec),
  command: texts(3),
  args: texts(4),
  workingDir: text(5),
  envs: many(6, KeyValue),
  mounts: many(7, MountMessage),
  devices: many(8, Device),
  labels: labels(9),
  annotations: labels(10),
  logPath: text(11),
  stdin: bool(12),
  stdinOnce: bool(13),
  tty: bool(14),
  linux: one(15, LinuxContainerConfig),
  cdiDevices: many(17, CdiDevice),
  stopSignal: choice(18, SIGNALS),
});

export const CreateContainerRequest = message({
  podSandboxId: text(1),
  config: one(2, ContainerConfigMessage),
  sandboxConfig: one(3, PodSandboxConfig),
});
export const CreateContainerResponse = message({ containerId: text(1) });

/** The request of every call that takes only a container ID. */
export const ContainerRequest = message({ containerId: text(1) });
export const StopContainerRequest = message({ containerId: text(1), timeout: int64(2) });

const CONTAINER_STATES = [
  'CONTAINER_CREATED',
  'CONTAINER_RUNNING',
  'CONTAINER_EXITED',
  'CONTAINER_UNKNOWN',
] as const;

const ContainerStateValue = message({ state: choice(1, CONTAINER_STATES) });
const ContainerFilter = message({
  id: text(1),
  state: one(2, ContainerStateValue),
  podSandboxId: text(3),
  labelSelector: labels(4),
});

export const ContainerMessage = message({
  id: text(1),
  podSandboxId: text(2),
  metadata: one(3, ContainerMetadata),
  image: one(4, ImageSpec),
  imageRef: text(5),
  state: choice(6, CONTAINER_STATES),
  createdAt: nanoseconds(7),
  labels: labels(8),
  annotations: labels(9),
  imageId: text(10),
});

export const ListContainersRequest = message({ filter: one(1, ContainerFilter) });
export const ListContainersResponse = message({ containers: many(1, ContainerMessage) });

const ContainerResourcesMessage = message({ linux: one(1, LinuxContainerResources) });
const LinuxContainerUser = message({ uid: int64(1), gid: int64(2), supplementalGroups: int64s(3) });
const ContainerUserMessage = message({ linux: one(1, LinuxContainerUser) });

export const ContainerStatus = message({
  id: text(1),
  metadata: one(2, ContainerMetadata),
  state: choice(3, CONTAINER_STATES),
  createdAt: nanoseconds(4),
  startedAt: nanoseconds(5),
  finishedAt: nanoseconds(6),
  exitCode: int32(7),
  image: one(8, ImageSpec),
  imageRef: text(9),
  reason: text(10),
  message: text(11),
  labels: labels(12),
  annotations: labels(13),
  mounts: many(14, MountMessage),
  logPath: text(15),
  resources: one(16, ContainerResourcesMessage),
  imageId: text(17),
  user: one(18, ContainerUserMessage),
  stopSignal: choice(19, SIGNALS),
});

export const ContainerStatusRequest = message({ containerId: text(1), verbose: bool(2) });
export const ContainerStatusResponse = message({
  status: one(1, ContainerStatus),
  info: labels(2),
});

export const UpdateContainerResourcesRequest = message({
  containerId: text(1),
  linux: one(2, LinuxContainerResources),
  annotations: labels(4),
});

export const ExecSyncRequest = message({ containerId: text(1), cmd: texts(2), timeout: int64(3) });
export const ExecSyncResponse = message({ stdout: bytes(1), stderr: bytes(2), exitCode: int32(3) });
