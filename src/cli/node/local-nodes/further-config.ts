/**
 * The configuration of a node that is not the first. What the configuration names once, and two nodes of one
 * machine cannot both have, belongs to the first node: its ports, its provider ID, its static pods.
 */
import type { KubeletConfig } from '../../config/kubelet-config.ts';

export function furtherConfig(config: KubeletConfig, name: string): KubeletConfig {
  return {
    ...config,
    port: 0,
    healthzPort: 0,
    readOnlyPort: 0,
    providerID: '',
    staticPodPath: '',
    // A kubelet removes the logs of pods that it does not know.
    podLogsDir: config.podLogsDir && `${config.podLogsDir}-${name}`,
  };
}
