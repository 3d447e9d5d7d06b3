/** Converts the configuration to the settings of the node agent, the kubelet and its containers. */
import path from 'node:path';
import { quantityValue } from '../../api/values/quantity.ts';
import { parseQuantity } from '../../api/values/quantity-text.ts';
import { crashBackOffLimits } from '../../core/pod-actions/crash-backoff.ts';
import { shutdownPeriods } from '../../core/node-shutdown/shutdown-groups.ts';
import { NODE_SETTINGS_DEFAULT, type NodeSettings } from '../../core/node/node-settings.ts';
import type { KubeletSettings } from '../../kubelet/kubelet-options.ts';
import type { ContainerSettings } from '../../kubelet/containers/config/container-settings.ts';
import type { MachineKernel } from '../../kubelet/containers/config/machine-kernel.ts';
import type { KubeletConfig } from '../config/kubelet-config.ts';
import { evictionHardOf } from './node-eviction.ts';

/** Features that pods may rely on, by the names of their gates, as a kubelet declares them. */
export const DECLARED_FEATURES: readonly string[] = [
  'InPlacePodVerticalScalingInitContainers',
  'RestartAllContainersOnContainerExits',
];

export function nodeSettingsOf(config: KubeletConfig): NodeSettings {
  return {
    ...NODE_SETTINGS_DEFAULT,
    statusUpdateMs: config.nodeStatusUpdateFrequencyMs,
    statusReportMs: config.nodeStatusReportFrequencyMs,
    leaseDurationSeconds: config.nodeLeaseDurationSeconds,
    registerNode: config.registerNode,
    registerWithTaints: config.registerWithTaints,
    providerID: config.providerID,
    maxPods: config.maxPods,
    systemReserved: config.systemReserved,
    kubeReserved: config.kubeReserved,
    evictionHard: evictionHardOf(config),
    hasLocalStorageIsolation: config.localStorageCapacityIsolation,
    declaredFeatures: DECLARED_FEATURES,
  };
}

export function kubeletSettingsOf(config: KubeletConfig): KubeletSettings {
  const { serializeImagePulls, maxParallelImagePulls, crashLoopBackOff } = config;
  return {
    syncFrequencyMs: config.syncFrequencyMs,
    kubeApiQps: config.kubeAPIQPS,
    kubeApiBurst: config.kubeAPIBurst,
    statusWriteWindow: config.podkeep.statusWriteWindow,
    parallelPullsMax: serializeImagePulls ? 1 : (maxParallelImagePulls ?? Number.MAX_SAFE_INTEGER),
    crashBackOff: crashBackOffLimits(crashLoopBackOff.maxContainerRestartPeriodMs),
    containerLogMaxBytes: Number(quantityValue(parseQuantity(config.containerLogMaxSize))),
    containerLogMaxFiles: config.containerLogMaxFiles,
    containerLogRotationMs: config.containerLogMonitorIntervalMs,
    images: {
      highThresholdPercent: config.imageGCHighThresholdPercent,
      lowThresholdPercent: config.imageGCLowThresholdPercent,
      ageMinMs: config.imageMinimumGCAgeMs,
      ageMaxMs: config.imageMaximumGCAgeMs,
    },
    registryPullQps: config.registryPullQPS,
    registryBurst: config.registryBurst,
    runtimeRequestTimeoutMs: config.runtimeRequestTimeoutMs,
    localStorageCapacityIsolation: config.localStorageCapacityIsolation,
    shutdownPeriods: shutdownPeriods(config),
  };
}

/** `folder`: of the node; what a kubelet has below /var/lib/kubelet is below it. */
export function containerSettingsOf(
  config: KubeletConfig,
  kernel: MachineKernel,
  folder: string,
  runtime: string,
): ContainerSettings {
  const isVersion2 = kernel.cgroupVersion === 2;
  const endsAlone = config.singleProcessOOMKill ?? !isVersion2;
  return {
    // Processes on the host itself get the seccomp filter too, unless their pod opts out.
    seccompDefault: config.seccompDefault || runtime === 'process',
    seccompFolder: path.join(folder, 'seccomp'),
    maskedPaths: kernel.maskedPaths,
    hasCpuQuota: config.cpuCFSQuota,
    cpuPeriodUs: Math.round(config.cpuCFSQuotaPeriodMs * 1000),
    hugePageSizes: kernel.hugePageSizes,
    unified: {
      ...(isVersion2 && !endsAlone && { 'memory.oom.group': '1' }),
      ...(isVersion2 && kernel.canLimitSwap && { 'memory.swap.max': '0' }),
    },
    limitsSwap: !isVersion2 && kernel.canLimitSwap,
  };
}
