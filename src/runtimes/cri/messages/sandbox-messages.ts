/** CRI messages about pod sandboxes. Field numbers are those of runtime/v1/api.proto. */
import {
  bool,
  choice,
  int32,
  int64s,
  labels,
  many,
  nanoseconds,
  one,
  text,
  texts,
  uint32,
} from './fields.ts';
import {
  GROUPS_POLICIES,
  Int64Value,
  LinuxContainerResources,
  NamespaceOption,
  SecurityProfile,
  SelinuxOption,
} from './common-messages.ts';
import { message } from './message.ts';

const DnsConfig = message({ servers: texts(1), searches: texts(2), options: texts(3) });

const PortMapping = message({
  protocol: choice(1, ['TCP', 'UDP', 'SCTP']),
  containerPort: int32(2),
  hostPort: int32(3),
  hostIp: text(4),
});

export const LinuxSandboxSecurityContext = message({
  namespaceOptions: one(1, NamespaceOption),
  selinuxOptions: one(2, SelinuxOption),
  runAsUser: one(3, Int64Value),
  readonlyRootfs: bool(4),
  supplementalGroups: int64s(5),
  privileged: bool(6),
  runAsGroup: one(8, Int64Value),
  seccomp: one(9, SecurityProfile),
  apparmor: one(10, SecurityProfile),
  supplementalGroupsPolicy: choice(11, GROUPS_POLICIES),
});

const LinuxPodSandboxConfig = message({
  cgroupParent: text(1),
  securityContext: one(2, LinuxSandboxSecurityContext),
  sysctls: labels(3),
  overhead: one(4, LinuxContainerResources),
  resources: one(5, LinuxContainerResources),
});

export const PodSandboxMetadata = message({
  name: text(1),
  uid: text(2),
  namespace: text(3),
  attempt: uint32(4),
});

export const PodSandboxConfig = message({
  metadata: one(1, PodSandboxMetadata),
  hostname: text(2),
  logDirectory: text(3),
  dnsConfig: one(4, DnsConfig),
  portMappings: many(5, PortMapping),
  labels: labels(6),
  annotations: labels(7),
  linux: one(8, LinuxPodSandboxConfig),
});

export const RunPodSandboxRequest = message({
  config: one(1, PodSandboxConfig),
  runtimeHandler: text(2),
});
export const RunPodSandboxResponse = message({ podSandboxId: text(1) });

/** The request of every call that takes only a sandbox ID. */
export const PodSandboxRequest = message({ podSandboxId: text(1) });

const SANDBOX_STATES = ['SANDBOX_READY', 'SANDBOX_NOTREADY'] as const;

const PodIp = message({ ip: text(1) });
const PodSandboxNetworkStatus = message({ ip: text(1), additionalIps: many(2, PodIp) });
const Namespace = message({ options: one(2, NamespaceOption) });
const LinuxPodSandboxStatus = message({ namespaces: one(1, Namespace) });

export const PodSandboxStatus = message({
  id: text(1),
  metadata: one(2, PodSandboxMetadata),
  state: choice(3, SANDBOX_STATES),
  createdAt: nanoseconds(4),
  network: one(5, PodSandboxNetworkStatus),
  linux: one(6, LinuxPodSandboxStatus),
  labels: labels(7),
  annotations: labels(8),
  runtimeHandler: text(9),
});

export const PodSandboxStatusRequest = message({ podSandboxId: text(1), verbose: bool(2) });
export const PodSandboxStatusResponse = message({
  status: one(1, PodSandboxStatus),
  info: labels(2),
});

const PodSandboxStateValue = message({ state: choice(1, SANDBOX_STATES) });
const PodSandboxFilter = message({
  id: text(1),
  state: one(2, PodSandboxStateValue),
  labelSelector: labels(3),
});

export const PodSandbox = message({
  id: text(1),
  metadata: one(2, PodSandboxMetadata),
  state: choice(3, SANDBOX_STATES),
  createdAt: nanoseconds(4),
  labels: labels(5),
  annotations: labels(6),
  runtimeHandler: text(7),
});

export const ListPodSandboxRequest = message({ filter: one(1, PodSandboxFilter) });
export const ListPodSandboxResponse = message({ items: many(1, PodSandbox) });
