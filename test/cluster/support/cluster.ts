/**
 * A real cluster for the tests of one file: Kubernetes' own control plane, and podkeep as its nodes.
 *
 * When the file has ended, nothing of it is left: no process, mount, network or control group.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../../src/lib/json.ts';
import { Api } from '../../e2e/support/api.ts';
import { PodClient } from '../../e2e/support/pod-client.ts';
import { waitFor } from '../../e2e/support/patience.ts';
import type { PodView } from '../../e2e/support/pod-view.ts';
import { lendProgram } from '../../e2e/support/programs.ts';
import { removeWorkFolder } from '../../e2e/support/work-folder.ts';
import { bootstrapObjects } from './bootstrap-objects.ts';
import { ClusterNode, type NodeOptions } from './cluster-node.ts';
import { ControlPlane, type PlaneOptions } from './control-plane.ts';
import { clearTraces, makeClusterFolder } from './traces.ts';

const WAIT_MS = 90_000;

export class Cluster extends PodClient {
  readonly folder: string;
  readonly plane: ControlPlane;
  readonly nodes: ClusterNode[] = [];
  readonly env: Readonly<Record<string, string>>;
  protected readonly prefix: readonly string[] = [];
  #api: Api | undefined;

  constructor(name: string, options: PlaneOptions = {}) {
    super();
    this.folder = makeClusterFolder(name);
    this.plane = new ControlPlane(path.join(this.folder, 'plane'), options);
    const [bin, home] = [path.join(this.folder, 'bin'), path.join(this.folder, 'home')];
    for (const folder of [bin, home]) mkdirSync(folder);
    lendProgram('kubectl', path.join(bin, 'kubectl'));
    this.env = {
      PATH: `${bin}:${process.env['PATH'] ?? '/usr/bin:/bin'}`,
      HOME: home,
      KUBECONFIG: this.plane.kubeconfig,
    };
  }

  async start(): Promise<void> {
    await this.plane.start();
    this.#api = new Api(this.plane.kubeconfig);
    await this.apply(...bootstrapObjects());
    // Pods are refused until their namespace has its default service account.
    await this.exists('/api/v1/namespaces/default/serviceaccounts/default');
  }

  async joinNode(options: NodeOptions): Promise<ClusterNode> {
    const folder = path.join(this.folder, options.name);
    const node = new ClusterNode(this.plane, folder, options);
    this.nodes.push(node);
    await node.start();
    await this.nodeReady(options.name);
    return node;
  }

  async remove(): Promise<void> {
    this.#api?.close();
    for (const node of this.nodes) await node.stop();
    await this.plane.stop();
    clearTraces(this.folder);
    removeWorkFolder(this.folder);
  }

  /** The status code of the answer. */
  async create(where: string, body: JsonObject): Promise<number> {
    return (await this.api.create(where, body)).code;
  }

  async exists(where: string): Promise<JsonObject> {
    return waitFor({ what: `${where} to exist`, deadlineMs: WAIT_MS }, () => this.get(where));
  }

  /** Ready, and without the taints of a node that was not. */
  async nodeReady(name: string): Promise<void> {
    let last: JsonObject | undefined;
    const explain = (): string => `${JSON.stringify(last, null, 1)}\n${this.terminationMessage}`;
    const patience = { what: `node ${name} to be ready`, deadlineMs: WAIT_MS, explain };
    await waitFor(patience, async () => {
      last = await this.get(`/api/v1/nodes/${name}`);
      const node = last as unknown as NodeView | undefined;
      const isReady = node?.status.conditions?.some(
        ({ type, status }) => type === 'Ready' && status === 'True',
      );
      return isReady && !node?.spec.taints?.length ? true : undefined;
    });
  }

  async pods(namespace: string, selector = ''): Promise<readonly PodView[]> {
    const query = selector === '' ? '' : `?labelSelector=${encodeURIComponent(selector)}`;
    const list = await this.get(`/api/v1/namespaces/${namespace}/pods${query}`);
    return (list?.['items'] ?? []) as unknown as readonly PodView[];
  }

  /** Until they are as wanted. */
  async podsWhen(
    namespace: string,
    what: string,
    holds: (pods: readonly PodView[]) => boolean,
    selector = '',
  ): Promise<readonly PodView[]> {
    let last: readonly PodView[] = [];
    const explain = (): string =>
      [...last.map(({ metadata, status }) => `${metadata.name} ${JSON.stringify(status)}`)]
        .concat(this.terminationMessage)
        .join('\n');
    return waitFor({ what, deadlineMs: WAIT_MS, explain }, async () => {
      last = await this.pods(namespace, selector);
      return holds(last) ? last : undefined;
    });
  }

  protected get api(): Api {
    if (!this.#api) throw new Error('the cluster is not up');
    return this.#api;
  }

  protected get terminationMessage(): string {
    return this.nodes.map(({ tail }) => tail).join('\n');
  }
}

interface NodeView {
  readonly spec: { readonly taints?: readonly JsonObject[] };
  readonly status: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}
