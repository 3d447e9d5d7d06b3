/** Messages that several CRI calls share. Field numbers are those of runtime/v1/api.proto. */
import { bigUint64, choice, int64, labels, text, texts, uint32, uint64 } from './fields.ts';
import { many, one } from './fields.ts';
import { message } from './message.ts';

/** The empty message, for requests and responses without fields. */
export const Nothing = message({});

export const Int64Value = message({ value: int64(1) });
export const UInt64Value = message({ value: bigUint64(1) });

export const ImageSpec = message({
  image: text(1),
  annotations: labels(2),
  userSpecifiedImage: text(18),
  runtimeHandler: text(19),
  imageRef: text(20),
});

export const IdMapping = message({ hostId: uint32(1), containerId: uint32(2), length: uint32(3) });

const MODES = ['POD', 'CONTAINER', 'NODE', 'TARGET'] as const;

const UserNamespace = message({
  mode: choice(1, MODES),
  uids: many(2, IdMapping),
  gids: many(3, IdMapping),
});

/** Whose namespaces a sandbox or a container uses. */
export const NamespaceOption = message({
  network: choice(1, MODES),
  pid: choice(2, MODES),
  ipc: choice(3, MODES),
  targetId: text(4),
  usernsOptions: one(5, UserNamespace),
});

export const SelinuxOption = message({
  user: text(1),
  role: text(2),
  type: text(3),
  level: text(4),
});

export const SecurityProfile = message({
  profileType: choice(1, ['RuntimeDefault', 'Unconfined', 'Localhost']),
  localhostRef: text(2),
});

const HugepageLimit = message({ pageSize: text(1), limit: uint64(2) });

export const LinuxContainerResources = message({
  cpuPeriod: int64(1),
  cpuQuota: int64(2),
  cpuShares: int64(3),
  memoryLimitInBytes: int64(4),
  oomScoreAdj: int64(5),
  cpusetCpus: text(6),
  cpusetMems: text(7),
  hugepageLimits: many(8, HugepageLimit),
  unified: labels(9),
  memorySwapLimitInBytes: int64(10),
});

export const Capability = message({
  addCapabilities: texts(1),
  dropCapabilities: texts(2),
  addAmbientCapabilities: texts(3),
});

/** How the image's groups combine with supplementalGroups, as in the API. */
export const GROUPS_POLICIES = ['Merge', 'Strict'] as const;
