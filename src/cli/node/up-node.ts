/** Everything that `podkeep up` needs for its node, so that it can be loaded in one go. */
import path from 'node:path';
import { readKubeletConfig, type KubeletConfig } from '../config/kubelet-config.ts';

export { startLocalNode } from './local-node.ts';
export { runtimeChoice } from './runtime-choice.ts';

/**
 * Several of them on one machine do not get in each other's way. A disk that is nearly full is no
 * reason to run nothing on somebody's own machine, as it is on a server. And the API server, which is in
 * this process and has no other node, needs no protection from this one: at 50 requests a second, fifty
 * pods would wait for a second just to be seen as ready.
 */
const DEFAULTS = {
  port: 0,
  healthzPort: 0,
  kubeAPIQPS: -1,
  evictionHard: { 'memory.available': '50Mi', 'nodefs.available': '100Mi' },
};

/** What the file says, on top of it the command line, and below both what suits a cluster of one's own. */
export function readUpConfig(options: {
  readonly config?: string;
  readonly manifests?: string;
}): Promise<KubeletConfig> {
  const { config, manifests } = options;
  const overrides = manifests === undefined ? {} : { staticPodPath: path.resolve(manifests) };
  const file = config === undefined ? null : path.resolve(config);
  return readKubeletConfig(file, overrides, DEFAULTS);
}
