/** Reads and checks the configuration of the node of `podkeep up`, before anything is created or served. */
import path from 'node:path';
import { readKubeletConfig, type KubeletConfig } from '../config/kubelet-config.ts';
import { withPodkeepFlags, type PodkeepFlags } from '../config/podkeep-flags.ts';
import { checkNode } from './node-check.ts';

export interface UpConfigOptions extends PodkeepFlags {
  readonly config?: string;
  readonly manifests?: string;
  readonly runtime?: string;
}

/**
 * Several of these nodes can run on one machine. A nearly full disk is no reason to run nothing on a
 * developer's machine, as it is on a server. And the API server, which is in this process and has no
 * other node, needs no protection from this one: at 50 requests a second, fifty pods would wait a second
 * just to be seen as ready.
 */
const DEFAULTS = {
  port: 0,
  healthzPort: 0,
  kubeAPIQPS: -1,
  evictionHard: { 'memory.available': '50Mi', 'nodefs.available': '100Mi' },
};

/** The file, overridden by the command line, over the defaults for a local cluster. */
export async function readUpConfig(options: UpConfigOptions): Promise<KubeletConfig> {
  const { config: file, manifests } = options;
  const overrides = manifests === undefined ? {} : { staticPodPath: path.resolve(manifests) };
  const read = await readKubeletConfig(file ? path.resolve(file) : null, overrides, DEFAULTS);
  const config = withPodkeepFlags(read, options);
  await checkNode({ ...options, config });
  return config;
}
