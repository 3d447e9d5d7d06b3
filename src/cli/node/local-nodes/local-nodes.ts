/**
 * The nodes of one `podkeep up`: they start and stop together, and nodes can be added and removed in between.
 *
 *     plan ──> the first node ──> the others, all at once ──> add, remove: one at a time ──> stop ──> close
 *
 * 1. A node is recorded in the data folder before it starts, and its record stays until everything that the
 *    node had is removed. So however podkeep ends, the next start knows every node that may have pods.
 * 2. There is always at least one node.
 */
import path from 'node:path';
import type { PodReference } from '../../../api/pod-reference.ts';
import type { NodeEvents } from '../../../kubelet/node/node-events.ts';
import { assert } from '../../../lib/assert.ts';
import type { HealthCheck } from '../../../lib/health-report.ts';
import type { Registry } from '../../../lib/metrics/registry.ts';
import type { KubeApi } from '../../../ports/api/kube-api.ts';
import { PodNetworks } from '../../../runtimes/process/sandbox/pod-networks.ts';
import type { DataFolder } from '../../data-folder.ts';
import type { Node } from '../node.ts';
import { checkNewNode, checkRemoval, nodesClosing } from './node-changes.ts';
import { freeNodeName } from './node-name.ts';
import { freeFolder, nodeNameTaken, type PlannedNode } from './node-plan.ts';
import { FIRST_FOLDER, writeNodeRecord } from './node-record.ts';
import { deleteNodeObjects, hasNode, refuseUndrained, refuseWithVolumes } from './node-objects.ts';

export interface StartRequest extends PlannedNode {
  /** Absolute. */
  readonly nodeFolder: string;
  /** The smallest number from 0 that no other running node has. */
  readonly slot: number;
  readonly podNetworks: PodNetworks;
}

export interface LocalNodesDeps {
  readonly folder: DataFolder;
  /** As an administrator of the cluster. */
  readonly api: KubeApi;
  /** What the names of further nodes begin with. */
  readonly baseName: string;
  /** `process`, `simulated` or an endpoint. */
  readonly runtime: string;
  readonly start: (request: StartRequest) => Promise<Node>;
  /** Stops what is left of the pods in the folder of a node that is closed. */
  readonly stopPods: (nodeFolder: string) => Promise<unknown>;
  readonly removeFolder: (nodeFolder: string) => Promise<void>;
  /** The health checks of all nodes have changed. */
  readonly checksChanged: () => void;
}

interface LocalNode {
  readonly planned: PlannedNode;
  readonly slot: number;
  readonly node: Node;
  readonly checks: readonly HealthCheck[];
}

const NEVER = new AbortController().signal;

export class LocalNodes {
  readonly #deps: LocalNodesDeps;
  readonly #podNetworks = new PodNetworks();
  /** In the order of the record. */
  readonly #nodes = new Map<string, LocalNode>();
  #recorded: readonly PlannedNode[];
  #work: Promise<unknown> = Promise.resolve();
  #isClosing = false;

  constructor(deps: LocalNodesDeps, planned: readonly PlannedNode[]) {
    this.#deps = deps;
    this.#recorded = planned;
  }

  /** Resolves when all of them accept pods. If one cannot, none does. */
  async start(): Promise<void> {
    const [first, ...others] = this.#recorded;
    if (others.length > 0) this.#record(this.#recorded);
    try {
      if (first) await this.#start(first, 0);
      const starts = others.map((planned, index) => this.#start(planned, index + 1));
      const settled = await Promise.allSettled(starts);
      const failed = settled.find((each) => each.status === 'rejected');
      if (failed) throw failed.reason;
    } catch (error) {
      await this.stop();
      await this.close();
      throw error;
    }
  }

  /** `process`, `simulated` or an endpoint. */
  get runtime(): string {
    return this.#deps.runtime;
  }

  get names(): readonly string[] {
    return this.#recorded.map(({ name }) => name).filter((name) => this.#nodes.has(name));
  }

  /** Those of the first node have their plain names, those of the others end with the name of the node. */
  get checks(): readonly HealthCheck[] {
    return this.#all.flatMap(({ checks }) => checks);
  }

  /** Of the first node, which reports about the process. */
  get events(): NodeEvents {
    return this.#first.events;
  }

  get metrics(): Registry {
    return this.#first.metrics;
  }

  /** `name`: absent: the first that is free. Throws NODE_NAME_TAKEN, NODE_NAME_INVALID and other refusals. */
  add(name?: string): Promise<string> {
    return this.#inTurn(() => this.#add(name));
  }

  /** Throws NODE_UNKNOWN, NODE_HAS_VOLUMES, NODE_NOT_DRAINED or LAST_NODE. */
  remove(name: string): Promise<void> {
    return this.#inTurn(() => this.#remove(name));
  }

  runningPods(): readonly PodReference[] {
    return this.#all.flatMap(({ node }) => node.runningPods());
  }

  /** Waits for an `add` or a `remove` that is under way. Containers keep running. */
  async stop(): Promise<void> {
    this.#isClosing = true;
    await this.#work.catch(() => undefined);
    await Promise.all(this.#all.map(({ node }) => node.stop()));
  }

  /** See Node. */
  async stopContainers(
    signal: AbortSignal,
    remaining: (pods: readonly PodReference[]) => void,
  ): Promise<void> {
    const left = new Map<string, readonly PodReference[]>();
    await Promise.all(
      this.#all.map(({ node, planned }) =>
        node.stopContainers(signal, (pods) => {
          left.set(planned.name, pods);
          remaining([...left.values()].flat());
        }),
      ),
    );
  }

  async close(): Promise<void> {
    const settled = await Promise.allSettled(this.#all.map(({ node }) => node.close()));
    const failed = settled.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
  }

  get #first(): Node {
    const [first] = this.#all;
    assert(first !== undefined, 'a podkeep that is up has a node');
    return first.node;
  }

  get #all(): readonly LocalNode[] {
    return this.#recorded.flatMap(({ name }) => this.#nodes.get(name) ?? []);
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#work
      .catch(() => undefined)
      .then(() => {
        if (this.#isClosing) throw nodesClosing({});
        return work();
      });
    this.#work = result;
    return result;
  }

  async #add(wanted: string | undefined): Promise<string> {
    const { api, baseName, runtime, folder } = this.#deps;
    const names = this.#recorded.map((each) => each.name);
    const name = wanted ?? freeNodeName(baseName, (each) => names.includes(each));
    checkNewNode(name, names, runtime);
    // Another machine may have joined with this name.
    if (await hasNode(api, name)) throw nodeNameTaken({ name });
    const before = this.#recorded;
    const nodeFolder = freeFolder(folder.root, name, before);
    const planned = { name, folder: nodeFolder, isFirst: false };
    this.#record([...before, planned]);
    try {
      await this.#start(planned, this.#freeSlot());
    } catch (error) {
      this.#record(before);
      await deleteNodeObjects(api, name).catch(() => undefined);
      throw error;
    }
    return name;
  }

  async #remove(name: string): Promise<void> {
    const { api, folder, runtime, stopPods, removeFolder, checksChanged } = this.#deps;
    const { node, planned } = checkRemoval(name, this.#nodes);
    const nodeFolder = path.join(folder.root, planned.folder);
    refuseWithVolumes(name, nodeFolder);
    await refuseUndrained(api, name);
    await node.stop();
    await node.stopContainers(NEVER);
    this.#nodes.delete(name);
    checksChanged();
    await node.close();
    if (runtime === 'process') await stopPods(nodeFolder);
    await this.#podNetworks.reconnect();
    await deleteNodeObjects(api, name);
    await removeFolder(nodeFolder);
    this.#record(this.#recorded.filter((each) => each.name !== name));
  }

  async #start(planned: PlannedNode, slot: number): Promise<void> {
    const { folder, start, checksChanged } = this.#deps;
    const nodeFolder = path.join(folder.root, planned.folder);
    const node = await start({ ...planned, nodeFolder, slot, podNetworks: this.#podNetworks });
    const { name, isFirst } = planned;
    const checks = isFirst
      ? node.checks
      : node.checks.map((check) => ({ ...check, name: `${check.name}-${name}` }));
    this.#nodes.set(name, { planned, slot, node, checks });
    checksChanged();
  }

  #freeSlot(): number {
    const taken = new Set(this.#all.map(({ slot }) => slot));
    let slot = 0;
    while (taken.has(slot)) slot += 1;
    return slot;
  }

  #record(nodes: readonly PlannedNode[]): void {
    this.#recorded = nodes;
    writeNodeRecord(
      this.#deps.folder,
      nodes.map(({ name, folder }) => ({ name: folder === FIRST_FOLDER ? null : name, folder })),
    );
  }
}
