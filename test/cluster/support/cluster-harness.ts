/** A cluster of one node whose pods are containers: containerd, the control plane, and podkeep. */
import { afterAll, beforeAll } from 'vitest';
import type { ContainerdVersion } from '../../../scripts/cluster/cache-folder.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { Cluster } from './cluster.ts';
import type { ClusterNode } from './cluster-node.ts';
import { startContainerd, type Containerd } from './containerd.ts';

export const NODE = 'node-1';

/** Fields of a KubeletConfiguration, given the folder of the cluster. */
export type NodeConfig = (folder: string) => JsonObject;

export class ClusterHarness extends Cluster {
  readonly #version: ContainerdVersion;
  readonly #node: string;
  readonly #config: NodeConfig;
  #containerd: Containerd | undefined;

  constructor(
    name: string,
    version: ContainerdVersion,
    node: string = NODE,
    config: NodeConfig = () => ({}),
  ) {
    super(name);
    this.#config = config;
    this.#version = version;
    this.#node = node;
  }

  get containerd(): Containerd {
    if (!this.#containerd) throw new Error('containerd is not up');
    return this.#containerd;
  }

  get node(): ClusterNode {
    const [node] = this.nodes;
    if (!node) throw new Error('no node has joined');
    return node;
  }

  override async start(): Promise<void> {
    await Promise.all([super.start(), this.#startContainerd()]);
    await this.join(this.#node, this.#config(this.folder));
  }

  async join(name: string, config: JsonObject = {}): Promise<ClusterNode> {
    const { endpoint, cgroupRoot } = this.containerd;
    return this.joinNode({ name, runtime: endpoint, config: { cgroupRoot, ...config } });
  }

  override async remove(): Promise<void> {
    for (const node of this.nodes) await node.stop();
    await this.#containerd?.remove();
    await super.remove();
  }

  async #startContainerd(): Promise<void> {
    const name = `containerd-${this.#version}`;
    this.#containerd = await startContainerd({ version: this.#version, name });
  }
}

/** Available while the tests of a file run. `config` joins its node's KubeletConfiguration. */
export function harnessOf(
  name: string,
  version: ContainerdVersion = '2.1',
  config?: NodeConfig,
): ClusterHarness {
  const harness = new ClusterHarness(name, version, NODE, config);
  beforeAll(() => harness.start());
  afterAll(() => harness.remove());
  return harness;
}
