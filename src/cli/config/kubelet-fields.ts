/**
 * Lists every field of KubeletConfiguration (kubelet.config.k8s.io/v1beta1, v1.36) with its kind and default,
 * in the order of /configz. Fields that podkeep does not support are `notOffered`: a file may set them only
 * to their defaults.
 *
 * Three defaults differ from those of Kubernetes' kubelet. `containerRuntimeEndpoint` is empty, because the
 * command line chooses the runtime. `podLogsDir` is empty, which means a folder of this node, because several
 * nodes may run on one machine. `failCgroupV1` is false, because podkeep also works with cgroup v1.
 */
import { isLabelKey, isLabelValue } from '../../api/validation-names.ts';
import type { Json } from '../../lib/json.ts';
import { list, map, oneOf, section, sparse, type SectionOf } from './collections.ts';
import { featureGates } from './feature-gates.ts';
import {
  address,
  choice,
  duration,
  flag,
  fraction,
  int,
  notOffered,
  quantity,
  reject,
  text,
  type Kind,
} from './field-kinds.ts';
import { file, optional, threshold } from './special-kinds.ts';
import { tlsCipher, tlsVersion } from './tls-kinds.ts';
import { tracing } from './tracing-kinds.ts';

const PORT_MAX = 65_535;
const PERCENT_MAX = 100;
const PRIORITY_MIN = -(2 ** 31);
const RESTART_PERIOD_MS = { min: 1000, max: 300_000 };

const RESERVED = oneOf(['cpu', 'memory', 'ephemeral-storage', 'pid'], 'resource to reserve');
const SIGNAL = oneOf(
  [
    'memory.available',
    'allocatableMemory.available',
    'nodefs.available',
    'nodefs.inodesFree',
    'imagefs.available',
    'imagefs.inodesFree',
    'containerfs.available',
    'containerfs.inodesFree',
    'pid.available',
  ],
  'signal of eviction',
);

/** The kubelet's default eviction thresholds on Linux. */
const EVICTION_HARD = {
  'imagefs.available': '15%',
  'imagefs.inodesFree': '5%',
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'nodefs.inodesFree': '5%',
};

export interface ConfiguredTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

const taintFields = sparse({
  key: text(),
  value: text(),
  effect: choice('NoSchedule', ['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
});

const taint: Kind<ConfiguredTaint> = {
  initial: { key: '', effect: 'NoSchedule' },
  read(json, at) {
    const { key = '', value, effect } = taintFields.read(json, at);
    if (!isLabelKey(key)) at.field('key').addProblem('must be a name such as example.com/gpu');
    if (value !== undefined && !isLabelValue(value)) {
      at.field('value').addProblem(
        'must be at most 63 letters, digits, dashes, dots or underscores',
      );
    }
    if (effect === undefined) {
      return reject(at.field('effect'), 'is missing', { key, effect: 'NoSchedule' });
    }
    return { key, ...(value !== undefined && { value }), effect };
  },
  write: ({ key, value, effect }) => ({ key, ...(value !== undefined && { value }), effect }),
};

/** A field that podkeep accepts only when it is unset. */
const nothing: Kind<Json> = {
  initial: null,
  read: (json) => (JSON.stringify(json) === '{}' || JSON.stringify(json) === '[]' ? null : json),
  write: (json) => json ?? undefined,
};
const buffer = section({ splitStream: flag(false, false), infoBufferSize: quantity('0') });

export const KUBELET_FIELDS = {
  enableServer: notOffered(flag(true)),
  staticPodPath: file(),
  podLogsDir: file(),
  syncFrequency: duration('1m'),
  fileCheckFrequency: duration('20s'),
  httpCheckFrequency: notOffered(duration('20s')),
  staticPodURL: notOffered(text()),
  staticPodURLHeader: notOffered(nothing),
  address: address('0.0.0.0'),
  port: int(10_250, { min: 1, max: PORT_MAX }),
  readOnlyPort: int(0, { max: PORT_MAX }),
  tlsCertFile: file(),
  tlsPrivateKeyFile: file(),
  tlsCipherSuites: list(tlsCipher),
  tlsCurvePreferences: notOffered(list(int(0))),
  tlsMinVersion: tlsVersion,
  rotateCertificates: flag(false, false),
  serverTLSBootstrap: flag(false, false),
  authentication: section({
    x509: section({ clientCAFile: file() }),
    webhook: section({ enabled: flag(true), cacheTTL: duration('2m') }),
    anonymous: section({ enabled: flag(false) }),
  }),
  authorization: section({
    mode: choice('Webhook', ['Webhook', 'AlwaysAllow']),
    webhook: section({ cacheAuthorizedTTL: duration('5m'), cacheUnauthorizedTTL: duration('30s') }),
  }),
  registryPullQPS: int(5, { isPointer: true }),
  registryBurst: int(10),
  imagePullCredentialsVerificationPolicy: choice('NeverVerifyPreloadedImages', [
    'NeverVerifyPreloadedImages',
    'NeverVerify',
    'AlwaysVerify',
  ]),
  preloadedImagesVerificationAllowlist: notOffered(list(text())),
  eventRecordQPS: int(50, { isPointer: true }),
  eventBurst: int(100),
  enableDebuggingHandlers: flag(true),
  enableContentionProfiling: notOffered(flag(false, false)),
  healthzPort: int(10_248, { max: PORT_MAX, isPointer: true }),
  healthzBindAddress: address('127.0.0.1'),
  oomScoreAdj: notOffered(int(-999, { min: -1000, max: 1000, isPointer: true })),
  clusterDomain: text(),
  clusterDNS: list(address('')),
  streamingConnectionIdleTimeout: duration('4h'),
  nodeStatusUpdateFrequency: duration('10s'),
  nodeStatusReportFrequency: duration('5m'),
  nodeLeaseDurationSeconds: int(40, { min: 1 }),
  imageMinimumGCAge: duration('2m'),
  imageMaximumGCAge: duration('0s'),
  imageGCHighThresholdPercent: int(85, { max: PERCENT_MAX, isPointer: true }),
  imageGCLowThresholdPercent: int(80, { max: PERCENT_MAX, isPointer: true }),
  volumeStatsAggPeriod: duration('1m'),
  kubeletCgroups: notOffered(text()),
  systemCgroups: notOffered(text()),
  cgroupRoot: text(),
  cgroupsPerQOS: flag(true),
  cgroupDriver: choice('cgroupfs', ['cgroupfs', 'systemd']),
  cpuManagerPolicy: notOffered(text('none')),
  singleProcessOOMKill: optional(flag(false)),
  cpuManagerPolicyOptions: notOffered(nothing),
  cpuManagerReconcilePeriod: notOffered(duration('10s')),
  memoryManagerPolicy: notOffered(text('None')),
  topologyManagerPolicy: notOffered(text('none')),
  topologyManagerScope: notOffered(text('container')),
  topologyManagerPolicyOptions: notOffered(nothing),
  qosReserved: notOffered(nothing),
  runtimeRequestTimeout: duration('2m'),
  hairpinMode: notOffered(text('promiscuous-bridge')),
  maxPods: int(110),
  podCIDR: notOffered(text()),
  podPidsLimit: int(-1, { min: -1, max: Number.MAX_SAFE_INTEGER, isPointer: true }),
  resolvConf: file('/etc/resolv.conf', true),
  runOnce: notOffered(flag(false, false)),
  cpuCFSQuota: flag(true),
  cpuCFSQuotaPeriod: duration('100ms', { min: 1, max: 1000 }),
  nodeStatusMaxImages: notOffered(int(50, { min: -1, isPointer: true })),
  maxOpenFiles: notOffered(int(1_000_000)),
  contentType: notOffered(text('application/vnd.kubernetes.protobuf')),
  kubeAPIQPS: int(50, { min: -1, isPointer: true }),
  kubeAPIBurst: int(100),
  serializeImagePulls: flag(true),
  maxParallelImagePulls: optional(int(0, { min: 1, isPointer: true })),
  evictionHard: map(threshold, EVICTION_HARD, SIGNAL),
  evictionSoft: map(threshold, {}, SIGNAL),
  evictionSoftGracePeriod: map(duration('0s'), {}, SIGNAL),
  evictionPressureTransitionPeriod: duration('5m'),
  evictionMaxPodGracePeriod: int(0),
  evictionMinimumReclaim: map(threshold, {}, SIGNAL),
  mergeDefaultEvictionSettings: flag(false),
  podsPerCore: notOffered(int(0)),
  enableControllerAttachDetach: notOffered(flag(true)),
  protectKernelDefaults: notOffered(flag(false, false)),
  makeIPTablesUtilChains: notOffered(flag(true)),
  iptablesMasqueradeBit: notOffered(int(14, { isPointer: true })),
  iptablesDropBit: notOffered(int(15, { isPointer: true })),
  featureGates,
  failSwapOn: notOffered(flag(true)),
  memorySwap: section({ swapBehavior: notOffered(text()) }),
  containerLogMaxSize: quantity('10Mi'),
  containerLogMaxFiles: int(5, { min: 2, isPointer: true }),
  containerLogMaxWorkers: notOffered(int(1, { isPointer: true })),
  containerLogMonitorInterval: duration('10s', { min: 3000 }),
  configMapAndSecretChangeDetectionStrategy: notOffered(text('Watch')),
  systemReserved: map(quantity('0'), {}, RESERVED),
  kubeReserved: map(quantity('0'), {}, RESERVED),
  reservedSystemCPUs: notOffered(text()),
  showHiddenMetricsForVersion: notOffered(text()),
  systemReservedCgroup: notOffered(text()),
  kubeReservedCgroup: notOffered(text()),
  enforceNodeAllocatable: list(choice('pods', ['pods', 'none']), ['pods']),
  allowedUnsafeSysctls: list(text()),
  volumePluginDir: notOffered(text('/usr/libexec/kubernetes/kubelet-plugins/volume/exec/')),
  providerID: text(),
  kernelMemcgNotification: notOffered(flag(false, false)),
  logging: section({
    format: choice('text', ['text', 'json']),
    flushFrequency: duration('5s'),
    verbosity: int(0, { isPointer: true }),
    vmodule: notOffered(nothing),
    options: notOffered(section({ text: buffer, json: buffer })),
  }),
  enableSystemLogHandler: flag(true),
  enableSystemLogQuery: flag(false),
  shutdownGracePeriod: duration('0s'),
  shutdownGracePeriodCriticalPods: duration('0s'),
  shutdownGracePeriodByPodPriority: list(
    section({
      priority: int(0, { min: PRIORITY_MIN, isPointer: true }),
      shutdownGracePeriodSeconds: int(0, { isPointer: true }),
    }),
  ),
  crashLoopBackOff: section({ maxContainerRestartPeriod: duration('5m', RESTART_PERIOD_MS) }),
  reservedMemory: notOffered(nothing),
  enableProfilingHandler: notOffered(flag(true)),
  enableDebugFlagsHandler: flag(true),
  seccompDefault: flag(false),
  memoryThrottlingFactor: notOffered(fraction(0.9)),
  memoryReservationPolicy: notOffered(text('None')),
  registerWithTaints: list(taint),
  registerNode: flag(true),
  tracing,
  localStorageCapacityIsolation: flag(true),
  containerRuntimeEndpoint: text('', true),
  imageServiceEndpoint: text(),
  failCgroupV1: flag(false),
  userNamespaces: notOffered(nothing),
};

export type KubeletFields = SectionOf<typeof KUBELET_FIELDS>;
