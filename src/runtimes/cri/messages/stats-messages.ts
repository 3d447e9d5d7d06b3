/** CRI messages about resource usage. Field numbers are those of runtime/v1/api.proto. */
import { UInt64Value } from './common-messages.ts';
import { ContainerMetadata } from './container-messages.ts';
import { labels, many, nanoseconds, one, text } from './fields.ts';
import { FilesystemUsage } from './image-messages.ts';
import { message } from './message.ts';
import { PodSandboxMetadata } from './sandbox-messages.ts';

const ContainerAttributes = message({
  id: text(1),
  metadata: one(2, ContainerMetadata),
  labels: labels(3),
  annotations: labels(4),
});

export const CpuUsage = message({
  timestamp: nanoseconds(1),
  usageCoreNanoSeconds: one(2, UInt64Value),
  usageNanoCores: one(3, UInt64Value),
});

export const MemoryUsage = message({
  timestamp: nanoseconds(1),
  workingSetBytes: one(2, UInt64Value),
  availableBytes: one(3, UInt64Value),
  usageBytes: one(4, UInt64Value),
  rssBytes: one(5, UInt64Value),
  pageFaults: one(6, UInt64Value),
  majorPageFaults: one(7, UInt64Value),
});

const NetworkInterfaceUsage = message({
  name: text(1),
  rxBytes: one(2, UInt64Value),
  rxErrors: one(3, UInt64Value),
  txBytes: one(4, UInt64Value),
  txErrors: one(5, UInt64Value),
});

export const NetworkUsage = message({
  timestamp: nanoseconds(1),
  defaultInterface: one(2, NetworkInterfaceUsage),
  interfaces: many(3, NetworkInterfaceUsage),
});

const ProcessUsage = message({ timestamp: nanoseconds(1), processCount: one(2, UInt64Value) });

export const ContainerStatsMessage = message({
  attributes: one(1, ContainerAttributes),
  cpu: one(2, CpuUsage),
  memory: one(3, MemoryUsage),
  writableLayer: one(4, FilesystemUsage),
});

const ContainerStatsFilter = message({
  id: text(1),
  podSandboxId: text(2),
  labelSelector: labels(3),
});
export const ListContainerStatsRequest = message({ filter: one(1, ContainerStatsFilter) });
export const ListContainerStatsResponse = message({ stats: many(1, ContainerStatsMessage) });

const PodSandboxAttributes = message({
  id: text(1),
  metadata: one(2, PodSandboxMetadata),
  labels: labels(3),
  annotations: labels(4),
});
const LinuxPodSandboxStats = message({
  cpu: one(1, CpuUsage),
  memory: one(2, MemoryUsage),
  network: one(3, NetworkUsage),
  process: one(4, ProcessUsage),
  containers: many(5, ContainerStatsMessage),
});
export const PodSandboxStatsMessage = message({
  attributes: one(1, PodSandboxAttributes),
  linux: one(2, LinuxPodSandboxStats),
});

const PodSandboxStatsFilter = message({ id: text(1), labelSelector: labels(2) });
export const ListPodSandboxStatsRequest = message({ filter: one(1, PodSandboxStatsFilter) });
export const ListPodSandboxStatsResponse = message({ stats: many(1, PodSandboxStatsMessage) });
