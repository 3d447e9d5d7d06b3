/**
 * The pods of one file of test/e2e/pods as containers: of containerd, on a node of a real cluster that
 * all files share. When a file has ended, everything that it created is deleted, as people would do it,
 * and podkeep must not have left anything of it running or mounted.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { chosenAccount } from '../../e2e/support/account.ts';
import { Api } from '../../e2e/support/api.ts';
import { mountPointsBelow } from '../../e2e/support/leftovers.ts';
import { waitFor } from '../../e2e/support/patience.ts';
import { PodHome, type WayToApi } from '../../e2e/support/pod-home.ts';
import type { PodView } from '../../e2e/support/pod-view.ts';
import { makeWorkFolder, removeWorkFolder } from '../../e2e/support/work-folder.ts';
import type { ClusterHarness } from './cluster-harness.ts';

const WAIT_MS = 60_000;
/** What tests create beside pods, and what exists without them. */
const KINDS = 'configmaps,secrets,serviceaccounts,roles,rolebindings,events';
const LASTING = ['default', 'kube-root-ca.crt'];

export class ContainerPods extends PodHome {
  readonly account = chosenAccount();
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  protected readonly prefix: readonly string[] = [];
  readonly #harness: ClusterHarness;
  #api: Api | undefined;

  constructor(name: string, harness: ClusterHarness) {
    super();
    this.#harness = harness;
    this.folder = makeWorkFolder(name);
    this.env = harness.env;
  }

  get data(): string {
    return this.#harness.node.data;
  }

  get manifests(): string {
    return this.#harness.node.manifests;
  }

  /** There is no service proxy here, and the server listens on the loopback interface of the machine. */
  get wayToApi(): WayToApi {
    const { hostname, port } = new URL(this.#harness.plane.address);
    return {
      spec: { hostNetwork: true },
      env: [
        { name: 'KUBERNETES_SERVICE_HOST', value: hostname },
        { name: 'KUBERNETES_SERVICE_PORT', value: port },
      ],
    };
  }

  async start(): Promise<void> {
    this.#api = new Api(this.#harness.plane.kubeconfig);
  }

  async remove(): Promise<void> {
    try {
      await this.#clear();
      await this.#nothingIsLeft();
    } finally {
      this.#api?.close();
      removeWorkFolder(this.folder);
    }
  }

  /** They are all below the control group of this containerd. */
  processesWith(words: string): readonly number[] {
    const group = `${this.#harness.containerd.cgroupRoot}/`;
    return readdirSync('/proc')
      .filter((pid) => /^\d+$/.test(pid) && read(`/proc/${pid}/cgroup`).includes(group))
      .filter((pid) => read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').includes(words))
      .map(Number);
  }

  async #clear(): Promise<void> {
    for (const name of readdirSync(this.manifests)) rmSync(path.join(this.manifests, name));
    await this.kubectl(`uncordon ${this.#harness.node.name}`);
    for (const { metadata } of await this.#pods()) await this.#release(metadata);
    await this.kubectl('delete pods --all --grace-period=1 --wait=false');
    let left: readonly PodView[] = [];
    const explain = (): string => `${JSON.stringify(left, null, 1)}\n${this.terminationMessage}`;
    await waitFor({ what: 'all pods to be gone', deadlineMs: WAIT_MS, explain }, async () => {
      left = await this.#pods();
      return left.length === 0 ? true : undefined;
    });
    const others = LASTING.map((name) => `metadata.name!=${name}`).join(',');
    await this.kubectl(`delete ${KINDS} --field-selector=${others}`);
  }

  /** A test that failed may not have deleted it. */
  async #release({ name, namespace, finalizers = [] }: KeptBy): Promise<void> {
    if (finalizers.length === 0) return;
    const free = '{"metadata":{"finalizers":null}}';
    await this.kubectl(['patch', 'pod', name, '-n', namespace, '--type=merge', '-p', free]);
  }

  async #pods(): Promise<readonly (PodView & { readonly metadata: KeptBy })[]> {
    const list = await this.get('/api/v1/pods');
    if (list === undefined) throw new Error('the API server does not answer');
    return list['items'] as unknown as readonly (PodView & { readonly metadata: KeptBy })[];
  }

  async #nothingIsLeft(): Promise<void> {
    let left: readonly string[] = [];
    const explain = (): string => `${left.join('\n')}\n${this.terminationMessage}`;
    await waitFor({ what: 'podkeep to leave nothing', deadlineMs: WAIT_MS, explain }, () => {
      const tasks = this.#harness.containerd.ctr('tasks', 'list', '--quiet').split('\n');
      left = [...tasks.filter((id) => id !== ''), ...mountPointsBelow(this.data)];
      return left.length === 0 ? true : undefined;
    });
  }

  protected get terminationMessage(): string {
    return this.#harness.node.tail;
  }

  protected get api(): Api {
    if (!this.#api) throw new Error('the cluster is not up');
    return this.#api;
  }
}

interface KeptBy {
  readonly name: string;
  readonly namespace: string;
  readonly finalizers?: readonly string[];
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // It has just ended.
    return '';
  }
}
