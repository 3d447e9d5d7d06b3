/**
 * Kubernetes' own control plane, with two nodes of `podkeep kubelet` or one of the real kubelet.
 *
 * Of the real one there can be one on a machine: whatever its configuration, it keeps sockets in
 * /var/lib/kubelet.
 */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { defineError } from '../../src/lib/errors.ts';
import { servingPairOf } from '../cluster/support/cluster-node.ts';
import { Cluster } from '../cluster/support/cluster.ts';
import { objectionToKubelet, RealKubelet } from '../cluster/support/real-kubelet.ts';
import { ImageStores, type RunningCluster } from './running-cluster.ts';

const GROUPS = '/sys/fs/cgroup';
const NODES = ['node-1', 'node-2'];
const PLANE = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];

const kubeletRefused = defineError<{ readonly why: string }>({
  code: 'KUBELET_REFUSED',
  retry: 'never',
  message: ({ why }) => `the real kubelet must not be started on this machine: ${why}`,
  hint: () => 'Use a machine without a kubelet.',
});

export class KubeletCluster implements RunningCluster {
  readonly #cluster = new Cluster('conformance');
  readonly #stores = new ImageStores();
  #kubelet: RealKubelet | undefined;

  static async start(isReal: boolean): Promise<KubeletCluster> {
    const why = isReal ? objectionToKubelet() : null;
    if (why !== null) throw kubeletRefused({ why });
    const cluster = new KubeletCluster();
    try {
      await cluster.#cluster.start();
      if (isReal) await cluster.#startReal();
      else for (const name of NODES) await cluster.#join(name);
      return cluster;
    } catch (error) {
      await cluster.remove();
      throw error;
    }
  }

  get kubeconfig(): string {
    return this.#cluster.plane.kubeconfig;
  }

  get logs(): Readonly<Record<string, string>> {
    const { folder, plane, nodes } = this.#cluster;
    return {
      ...Object.fromEntries(
        nodes.map((node) => [node.name, path.join(node.folder, 'podkeep.log')]),
      ),
      ...Object.fromEntries(PLANE.map((name) => [name, path.join(plane.folder, `${name}.log`)])),
      kubelet: path.join(folder, 'real/kubelet.log'),
    };
  }

  /** Its daemons report their end by themselves: a test that needs one of them fails. */
  get fault(): string | null {
    return null;
  }

  async remove(): Promise<void> {
    await this.#kubelet?.stop();
    for (const node of this.#cluster.nodes) await node.stop();
    await this.#stores.remove();
    await this.#cluster.remove();
  }

  async #join(name: string): Promise<void> {
    const { endpoint, cgroupRoot } = await this.#stores.start(`conformance-${name}`);
    await this.#cluster.joinNode({ name, runtime: endpoint, config: { cgroupRoot } });
  }

  async #startReal(): Promise<void> {
    const [name = ''] = NODES;
    const containerd = await this.#stores.start(`conformance-${name}`);
    const { plane } = this.#cluster;
    makeGroups(containerd.cgroupRoot);
    const folder = path.join(this.#cluster.folder, 'real');
    const serving = servingPairOf(plane, name);
    const config = {
      tlsCertFile: serving.certificate,
      tlsPrivateKeyFile: serving.key,
      cgroupRoot: containerd.cgroupRoot,
      podLogsDir: path.join(folder, 'pod-logs'),
      enforceNodeAllocatable: ['pods'],
    };
    this.#kubelet = await RealKubelet.start({ name, folder, plane, containerd, config });
    await this.#cluster.nodeReady(name);
  }
}

/** The real kubelet does not make its root; `clearTraces` removes it with the containerd. */
function makeGroups(name: string): void {
  const trees = [GROUPS, ...readdirSync(GROUPS).map((each) => path.join(GROUPS, each))];
  for (const tree of trees) {
    const isHierarchy = existsSync(path.join(tree, 'cgroup.procs'));
    if (isHierarchy) mkdirSync(path.join(tree, name), { recursive: true });
  }
}
