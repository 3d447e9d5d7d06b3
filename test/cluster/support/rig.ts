/** A cluster of one node whose pods are containers: containerd, the control plane, and podkeep. */
import { afterAll, beforeAll } from 'vitest';
import type { ContainerdVersion } from '../../../scripts/cluster/place.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { Cluster } from './cluster.ts';
import type { ClusterNode } from './cluster-node.ts';
import { startContainerd, type Containerd } from './containerd.ts';

export const NODE = 'node-1';

export class Rig extends Cluster {
  readonly #version: ContainerdVersion;
  readonly #node: string;
  #containerd: Containerd | undefined;

  constructor(name: string, version: ContainerdVersion, node: string = NODE) {
    super(name);
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
    await this.join(this.#node);
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

/** There when the tests of a file run. */
export function rigOf(name: string, version: ContainerdVersion = '2.1'): Rig {
  const rig = new Rig(name, version);
  beforeAll(() => rig.start());
  afterAll(() => rig.remove());
  return rig;
}
