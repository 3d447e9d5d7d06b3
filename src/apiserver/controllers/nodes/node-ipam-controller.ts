/**
 * Gives every node a block of each range of the cluster, for the addresses of its pods (`spec.podCIDRs`).
 *
 *     node without podCIDRs ──> allocated ──written──> held until the node is deleted
 *                                   └─none left──> Event CIDRNotAvailable; again when a block is released
 *     node with podCIDRs ─────> occupied, whichever component wrote them
 *
 * 1. All stored nodes are seen before the first allocation, so a restart allocates no block twice.
 * 2. A block is counted as held before it is written. Holders are counted by node, so each node counts once.
 * 3. Blocks that overlap the range of Services are never allocated.
 *
 * It runs while podkeep holds the Lease of controller managers: two allocators would give one block to two nodes.
 */
import type { JsonObject } from '../../../lib/json.ts';
import type { StoreEvent } from '../../../ports/api/object-store.ts';
import { SERVICE_CIDR } from '../../admission/service-addresses-range.ts';
import { readStruct, readTexts } from '../../../api/validation/json-reading.ts';
import { nodes } from '../../kinds/core/node.ts';
import { valueAt } from '../../objects/field-path.ts';
import { nameOf } from '../../objects/metadata.ts';
import { follow } from '../../registry/object-feed.ts';
import { keyOf, prefixOf, type Target } from '../../registry/registry.ts';
import type { ServerParts } from '../../registry/server-parts.ts';
import type { Controller } from '../controller.ts';
import { isMissing } from '../deletion-request.ts';
import { EventRecorder } from '../event-recorder.ts';
import { isBeingDeleted, uidOf } from '../garbage/owner-reference.ts';
import { WorkQueue } from '../work-queue.ts';
import { CidrPool, type NodeCidrRange } from './cidr-pool.ts';

export class NodeIpamController implements Controller {
  readonly #parts: ServerParts;
  readonly #pools: readonly CidrPool[];
  readonly #queue: WorkQueue;
  readonly #events: EventRecorder;
  readonly #leave: () => void;
  /** The blocks of each node, by its name. */
  readonly #held = new Map<string, readonly string[]>();
  /** Nodes for which no block was left. */
  readonly #waiting = new Set<string>();

  constructor(parts: ServerParts, ranges: readonly NodeCidrRange[]) {
    this.#parts = parts;
    this.#pools = ranges.map((range) => new CidrPool(range));
    for (const pool of this.#pools) pool.occupy(SERVICE_CIDR);
    const { store, clock, random, log } = parts;
    const work = (name: string): Promise<void> => this.#settle(name);
    this.#queue = new WorkQueue({ clock, random, log, name: 'node-ipam', work });
    this.#events = new EventRecorder(parts, 'cidrAllocator');
    this.#leave = follow(store, prefixOf(nodes, ''), (event) => this.#see(event));
  }

  async stop(): Promise<void> {
    this.#leave();
    await this.#queue.stop();
  }

  #see({ type, value: node }: StoreEvent): void {
    const name = nameOf(node);
    if (type === 'delete') {
      this.#waiting.delete(name);
      this.#release(name);
    } else if (podCidrsOf(node).length > 0) this.#occupy(name, podCidrsOf(node));
    else this.#queue.add(name);
  }

  #occupy(name: string, blocks: readonly string[]): void {
    const held = this.#held.get(name);
    if (held?.join() === blocks.join()) return;
    if (held) this.#release(name);
    this.#held.set(name, blocks);
    for (const [index, block] of blocks.entries()) {
      if (this.#pools[index]?.occupy(block)) continue;
      this.#parts.log.warn('podCIDR of node is outside of the cluster CIDR', { node: name, block });
    }
  }

  #release(name: string): void {
    const blocks = this.#held.get(name);
    if (!blocks) return;
    this.#held.delete(name);
    for (const [index, block] of blocks.entries()) this.#pools[index]?.release(block);
    for (const one of this.#waiting) this.#queue.add(one);
  }

  async #settle(name: string): Promise<void> {
    const target = { definition: nodes, namespace: '', name };
    const node = this.#parts.store.get(keyOf(target))?.value;
    this.#waiting.delete(name);
    if (!node || isBeingDeleted(node) || podCidrsOf(node).length > 0) return;
    const blocks = this.#allocate();
    if (!blocks) {
      this.#waiting.add(name);
      await this.#record(node, 'CIDRNotAvailable');
      return;
    }
    this.#held.set(name, blocks);
    await this.#write(target, node, blocks);
  }

  /** One block of each range. Null: one of them has none left. */
  #allocate(): readonly string[] | null {
    const blocks: string[] = [];
    for (const pool of this.#pools) {
      const block = pool.allocate();
      if (block === null) {
        for (const [index, one] of blocks.entries()) this.#pools[index]?.release(one);
        return null;
      }
      blocks.push(block);
    }
    return blocks;
  }

  async #write(target: Target, node: JsonObject, blocks: readonly string[]): Promise<void> {
    const { registry, log } = this.#parts;
    const { name } = target;
    // Another node may have this name by now, or another component may have been faster.
    const change = (old: JsonObject): JsonObject =>
      uidOf(old) === uidOf(node) && podCidrsOf(old).length === 0 ? withPodCidrs(old, blocks) : old;
    try {
      const written = await registry.update({ ...target, change });
      if (podCidrsOf(written).join() === blocks.join()) {
        log.info('Set node PodCIDR', { node: name, podCIDRs: blocks });
      } else this.#giveBack(name, blocks);
    } catch (error) {
      this.#giveBack(name, blocks);
      if (isMissing(error)) return;
      await this.#record(node, 'CIDRAssignmentFailed');
      throw error;
    }
  }

  /** If the node still holds them: its deletion, or other blocks of it, have released them. */
  #giveBack(name: string, blocks: readonly string[]): void {
    if (this.#held.get(name) === blocks) this.#release(name);
  }

  #record(node: JsonObject, reason: string): Promise<void> {
    const name = nameOf(node);
    const about = { apiVersion: 'v1', kind: 'Node', metadata: { name, uid: uidOf(node) } };
    const message = `Node ${name} status is now: ${reason}`;
    return this.#events.record(about, { type: 'Normal', reason, message });
  }
}

function podCidrsOf(node: JsonObject): readonly string[] {
  return readTexts(valueAt(node, 'spec.podCIDRs'));
}

function withPodCidrs(node: JsonObject, blocks: readonly string[]): JsonObject {
  const spec = readStruct(node['spec']);
  return { ...node, spec: { ...spec, podCIDR: blocks[0] ?? '', podCIDRs: blocks } };
}
