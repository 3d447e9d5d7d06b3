/** What a configuration means to the parts of a node. */
import { quantityValue } from '../../api/quantity.ts';
import { parseQuantity } from '../../api/quantity-text.ts';
import { crashBackOffLimits } from '../../core/crash-backoff.ts';
import { NODE_SETTINGS_DEFAULT, type NodeSettings } from '../../core/node/node-settings.ts';
import type { KubeletSettings } from '../../kubelet/kubelet-options.ts';
import type { KubeletConfig } from '../config/kubelet-config.ts';

/** Features that pods may rely on, by the names of their gates, as a kubelet declares them. */
export const DECLARED_FEATURES: readonly string[] = ['RestartAllContainersOnContainerExits'];

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
    evictionHard: config.evictionHard,
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
  };
}
