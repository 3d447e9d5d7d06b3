/** A cluster that the tests run against, whatever it is made of. */
import { startContainerd, type Containerd } from '../cluster/support/containerd.ts';
import { pullFrom } from '../cluster/support/images/mirror.ts';
import { Registry } from '../cluster/support/images/registry.ts';
import { makeClusterFolder } from '../cluster/support/traces.ts';
import { removeWorkFolder } from '../e2e/support/work-folder.ts';
import { makeConformanceImages, REGISTRY } from './test-images.ts';

export interface RunningCluster {
  /** Of an administrator. */
  readonly kubeconfig: string;
  /** Paths of logs, which are kept with the results under these names. */
  readonly logs: Readonly<Record<string, string>>;
  /** Null: all of its programs run. */
  readonly fault: string | null;
  remove(): Promise<void>;
}

/** One containerd for each node, with the tests' images, and a registry that serves them to pulls. */
export class ImageStores {
  readonly #folder = makeClusterFolder('images');
  readonly #layout = makeConformanceImages(this.#folder);
  readonly #containerds: Containerd[] = [];
  #registry: Registry | undefined;

  async start(name: string): Promise<Containerd> {
    this.#registry ??= await Registry.start({ layout: this.#layout });
    const containerd = await startContainerd({ version: '2.1', name });
    this.#containerds.push(containerd);
    await containerd.importImages(this.#layout);
    pullFrom(this.#registry, containerd, REGISTRY);
    return containerd;
  }

  async remove(): Promise<void> {
    for (const containerd of this.#containerds) await containerd.remove();
    await this.#registry?.stop();
    removeWorkFolder(this.#folder);
  }
}
