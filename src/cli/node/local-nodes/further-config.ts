/**
 * The configuration of a node that is not the first. Settings that two nodes of one machine cannot both have
 * apply to the first node only: ports, provider ID, static pods.
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
