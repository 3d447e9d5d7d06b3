/** Converts the eviction settings of the configuration to those of the node. */
import { NODE_SETTINGS_DEFAULT } from '../../core/node/node-settings.ts';
import { parseEvictionSettings } from '../../core/eviction/threshold-settings.ts';
import type { NodePodCgroups } from '../../kubelet/cgroups/node-pod-cgroups.ts';
import type { NodeEviction } from '../../kubelet/eviction/create-eviction-manager.ts';
import type { EvictionManagerSettings } from '../../kubelet/eviction/eviction-manager.ts';
import type { MachineFacts } from '../../ports/machine-facts.ts';
import type { KubeletConfig } from '../config/kubelet-config.ts';

export interface NodeEvictionParts {
  readonly config: KubeletConfig;
  readonly machine: MachineFacts;
  readonly rootFolder: string;
  /** Undefined: pods have no common control group, whose memory could be observed. */
  readonly cgroups: NodePodCgroups | undefined;
}

/** Throws EVICTION_THRESHOLD_INVALID. */
export function nodeEvictionOf(parts: NodeEvictionParts): NodeEviction {
  const { config, machine, rootFolder, cgroups } = parts;
  return {
    machine,
    rootFolder,
    podsMemory: cgroups && (() => cgroups.memory()),
    settings: evictionSettingsOf(config, cgroups !== undefined),
  };
}

/** Throws EVICTION_THRESHOLD_INVALID. */
export function evictionSettingsOf(
  config: KubeletConfig,
  hasPodsGroup: boolean,
): EvictionManagerSettings {
  return {
    thresholds: parseEvictionSettings({
      hard: evictionHardOf(config),
      soft: config.evictionSoft,
      softGraceMs: config.evictionSoftGracePeriod,
      minimumReclaim: config.evictionMinimumReclaim,
      enforcesAllocatable: hasPodsGroup && config.enforceNodeAllocatable.includes('pods'),
    }),
    transitionMs: config.evictionPressureTransitionPeriodMs,
    maxPodGraceSeconds: config.evictionMaxPodGracePeriod,
  };
}

/** With mergeDefaultEvictionSettings, a file that sets one threshold keeps the defaults of the others. */
export function evictionHardOf(config: KubeletConfig): Readonly<Record<string, string>> {
  const { evictionHard, mergeDefaultEvictionSettings } = config;
  return mergeDefaultEvictionSettings
    ? { ...NODE_SETTINGS_DEFAULT.evictionHard, ...evictionHard }
    : evictionHard;
}
