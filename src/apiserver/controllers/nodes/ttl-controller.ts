/**
 * Annotates every node with the time for which its kubelet may cache Secrets and ConfigMaps (node-ttl.ts). When the
 * cluster crosses a boundary, all nodes get the new time; kube-controller-manager waits for their next heartbeat.
 */
import { nodes } from '../../kinds/core/node.ts';
import { follow } from '../../registry/object-feed.ts';
import { keyOf, prefixOf } from '../../registry/registry.ts';
import type { ServerParts } from '../../registry/server-parts.ts';
import type { StoreEvent } from '../../../ports/api/object-store.ts';
import type { Controller } from '../controller.ts';
import { isMissing } from '../deletion-request.ts';
import { readKey } from '../object-key.ts';
import { WorkQueue } from '../work-queue.ts';
import { ttlSeconds, ttlStep, withTtl } from './node-ttl.ts';

export class TtlController implements Controller {
  readonly #parts: ServerParts;
  readonly #queue: WorkQueue;
  readonly #leave: () => void;
  readonly #names = new Set<string>();
  #step = 0;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    const { store, clock, random, log } = parts;
    const work = (name: string): Promise<void> => this.#settle(name);
    this.#queue = new WorkQueue({ clock, random, log, name: 'ttl', work });
    this.#leave = follow(store, prefixOf(nodes, ''), (event) => this.#see(event));
  }

  async stop(): Promise<void> {
    this.#leave();
    await this.#queue.stop();
  }

  #see({ type, key, value }: StoreEvent): void {
    const { name } = readKey(key);
    if (type === 'put') this.#names.add(name);
    else this.#names.delete(name);
    const step = ttlStep(this.#step, this.#names.size);
    if (step !== this.#step) {
      this.#step = step;
      for (const one of this.#names) this.#queue.add(one);
    } else if (type === 'put' && withTtl(value, ttlSeconds(step)) !== value) {
      this.#queue.add(name);
    }
  }

  async #settle(name: string): Promise<void> {
    const { store, registry } = this.#parts;
    const target = { definition: nodes, namespace: '', name };
    const seconds = ttlSeconds(this.#step);
    const node = store.get(keyOf(target))?.value;
    if (!node || withTtl(node, seconds) === node) return;
    try {
      await registry.update({ ...target, change: (old) => withTtl(old, seconds) });
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
}
