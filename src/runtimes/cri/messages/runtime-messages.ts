/**
 * CRI messages about the runtime: version, status, events, URLs for streaming. Field numbers as in api.proto.
 */
import { ContainerStatus } from './container-messages.ts';
import { bool, choice, int32s, labels, many, nanoseconds, one, text, texts } from './fields.ts';
import { message } from './message.ts';
import { PodSandboxStatus } from './sandbox-messages.ts';

export const VersionRequest = message({ version: text(1) });
export const VersionResponse = message({
  version: text(1),
  runtimeName: text(2),
  runtimeVersion: text(3),
  runtimeApiVersion: text(4),
});

const RuntimeCondition = message({
  type: text(1),
  status: bool(2),
  reason: text(3),
  message: text(4),
});
const RuntimeStatusMessage = message({ conditions: many(1, RuntimeCondition) });
const RuntimeHandlerFeatures = message({
  recursiveReadOnlyMounts: bool(1),
  userNamespaces: bool(2),
});
const RuntimeHandler = message({ name: text(1), features: one(2, RuntimeHandlerFeatures) });
const RuntimeFeaturesMessage = message({
  supplementalGroupsPolicy: bool(1),
  userNamespacesHostNetwork: bool(2),
});

export const StatusRequest = message({ verbose: bool(1) });
export const StatusResponse = message({
  status: one(1, RuntimeStatusMessage),
  info: labels(2),
  runtimeHandlers: many(3, RuntimeHandler),
  features: one(4, RuntimeFeaturesMessage),
});

const LinuxRuntimeConfiguration = message({ cgroupDriver: choice(1, ['SYSTEMD', 'CGROUPFS']) });
export const RuntimeConfigResponse = message({ linux: one(1, LinuxRuntimeConfiguration) });

export const ContainerEventResponse = message({
  containerId: text(1),
  containerEventType: choice(2, [
    'CONTAINER_CREATED_EVENT',
    'CONTAINER_STARTED_EVENT',
    'CONTAINER_STOPPED_EVENT',
    'CONTAINER_DELETED_EVENT',
  ]),
  createdAt: nanoseconds(3),
  podSandboxStatus: one(4, PodSandboxStatus),
  containersStatuses: many(5, ContainerStatus),
});

export const ExecRequestMessage = message({
  containerId: text(1),
  cmd: texts(2),
  tty: bool(3),
  stdin: bool(4),
  stdout: bool(5),
  stderr: bool(6),
});
export const AttachRequest = message({
  containerId: text(1),
  stdin: bool(2),
  tty: bool(3),
  stdout: bool(4),
  stderr: bool(5),
});
export const PortForwardRequest = message({ podSandboxId: text(1), port: int32s(2) });
/** The response of Exec, Attach and PortForward. */
export const StreamingUrlResponse = message({ url: text(1) });
