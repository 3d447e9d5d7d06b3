/** Everything that `podkeep up` needs for its node, so that it can be loaded in one go. */
import path from 'node:path';
import { readKubeletConfig, type KubeletConfig } from '../config/kubelet-config.ts';

export { startLocalNode } from './local-node.ts';

/** The file, and on top of it what the command line says. */
export function readUpConfig(options: {
  readonly config?: string;
  readonly manifests?: string;
}): Promise<KubeletConfig> {
  const { config, manifests } = options;
  return readKubeletConfig(config === undefined ? null : path.resolve(config), {
    // Several of them on one machine do not get in each other's way, unless people choose a port.
    ...(config === undefined && { port: 0 }),
    ...(manifests !== undefined && { staticPodPath: path.resolve(manifests) }),
  });
}
