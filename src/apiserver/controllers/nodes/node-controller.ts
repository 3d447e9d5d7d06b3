/**
 * Node lifecycle controller: follows the heartbeats of nodes (their Leases, and the heartbeat times in their
 * status).
 *
 *     healthy ──no heartbeat for a while──> Unknown, tainted, its pods not ready ──heartbeat──> as it reports
 *
 * The arrival of a heartbeat counts, not its timestamp, because clocks differ. Each node has one timer. A
 * heartbeat does not move it: when the timer fires and a heartbeat has arrived, the timer is set again.
 */
import { formatTime, parseTime } from '../../../api/values/time.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { textAt } from '../../objects/field-path.ts';
import { leases } from '../../kinds/core/lease.ts';
import { nodes } from '../../kinds/core/node.ts';
import { pods } from '../../kinds/core/pods.ts';
import { metadataOf, textOf } from '../../objects/metadata.ts';
import { keyOf, prefixOf } from '../../registry/registry.ts';
import type { ServerParts } from '../../registry/server-parts.ts';
import type { Controller } from '../controller.ts';
import { isMissing } from '../deletion-request.ts';
import { EventRecorder } from '../event-recorder.ts';
import { follow } from '../../registry/object-feed.ts';
import { readKey } from '../object-key.ts';
import { WorkQueue } from '../work-queue.ts';
import { readyConditionOf, readyStatusOf, silenced, tainted, unready } from './node-health.ts';
import { withOldLabels } from './node-labels.ts';

export interface NodeOptions {
  /** How long a node may send no heartbeat. */
  readonly graceSeconds: number;
}

/** How long a node may take until its first status. */
const STARTUP_SECONDS = 60;
const LEASE_NAMESPACE = 'kube-node-lease';
const LITTLE_MS = 1;

export class NodeController implements Controller {
  readonly #parts: ServerParts;
  readonly #options: NodeOptions;
  readonly #queue: WorkQueue;
  readonly #events: EventRecorder;
  readonly #leave: readonly (() => void)[];
  /** When the last heartbeat of each node arrived, by this server's clock. */
  readonly #heardMs = new Map<string, number>();

  constructor(parts: ServerParts, options: NodeOptions) {
    this.#parts = parts;
    this.#options = options;
    const { store, clock, random, log } = parts;
    const work = (name: string): Promise<void> => this.#check(name);
    this.#queue = new WorkQueue({ clock, random, log, name: 'node-lifecycle', work });
    this.#events = new EventRecorder(parts, 'node-controller');
    this.#leave = [
      follow(store, prefixOf(nodes, ''), ({ type, key, value, before }) => {
        if (type === 'delete') this.#forget(value);
        else this.#see(readKey(key).name, value, before);
      }),
      follow(store, prefixOf(leases, LEASE_NAMESPACE), ({ type, key, value, before }) => {
        const isRenewed = !before || renewTimeOf(before) !== renewTimeOf(value);
        if (type === 'put' && isRenewed) this.#hear(readKey(key).name);
      }),
    ];
  }

  async stop(): Promise<void> {
    for (const leave of this.#leave) leave();
    await this.#queue.stop();
  }

  #see(name: string, node: JsonObject, before: JsonObject | null): void {
    if (!before) {
      this.#heardMs.set(name, this.#firstHeardMs(node));
      void this.#record(node, 'RegisteredNode', `Registered Node ${name} in Controller`);
    } else if (heartbeatOf(node) !== heartbeatOf(before)) this.#hear(name);
    this.#queue.add(name);
  }

  /** For a node that never reported a status, its creation counts as the last heartbeat. */
  #firstHeardMs(node: JsonObject): number {
    const { clock } = this.#parts;
    const created = textOf(metadataOf(node)['creationTimestamp']);
    if (readyConditionOf(node) || created === '') return clock.monotonic();
    return clock.monotonic() - Math.max(clock.now() - parseTime(created).ms, 0);
  }

  /** Ignores nodes that do not exist: a Lease may outlive its node. */
  #hear(name: string): void {
    if (this.#heardMs.has(name)) this.#heardMs.set(name, this.#parts.clock.monotonic());
  }

  #forget(node: JsonObject): void {
    const name = textOf(metadataOf(node)['name']);
    this.#heardMs.delete(name);
    void this.#record(node, 'RemovingNode', `Removing Node ${name} from Controller`);
  }

  async #check(name: string): Promise<void> {
    const node = this.#nodeOf(name);
    const heardMs = this.#heardMs.get(name);
    if (!node || heardMs === undefined) return;
    const graceSeconds = readyConditionOf(node) ? this.#options.graceSeconds : STARTUP_SECONDS;
    const leftMs = heardMs + graceSeconds * 1000 - this.#parts.clock.monotonic();
    if (leftMs < 0) await this.#silence(name, node);
    else this.#queue.addAfter(name, leftMs + LITTLE_MS);
    await this.#change(name, (old) => withOldLabels(tainted(old, this.#now())));
  }

  async #silence(name: string, node: JsonObject): Promise<void> {
    const wasReady = readyStatusOf(node) === 'True';
    await this.#change(name, (old) => silenced(old, this.#now()), 'status');
    if (!wasReady) return;
    const message = `Node ${name} status is now: NodeNotReady`;
    const recorded = { type: 'Normal', reason: 'NodeNotReady', message } as const;
    await this.#events.record(referenceTo(node), recorded);
    await this.#unreadyPods(name);
  }

  async #unreadyPods(node: string): Promise<void> {
    const { store, registry } = this.#parts;
    const found = store
      .list(prefixOf(pods, ''))
      .objects.filter(({ value }) => textAt(value, 'spec.nodeName') === node);
    for (const { key, value } of found) {
      if (unready(value, this.#now()) === value) continue;
      const { namespace, name } = readKey(key);
      const target = { definition: pods, namespace, name, subresource: 'status' };
      try {
        await registry.update({ ...target, change: (old) => unready(old, this.#now()) });
        const recorded = {
          type: 'Warning',
          reason: 'NodeNotReady',
          message: 'Node is not ready',
        } as const;
        await this.#events.record(value, recorded);
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    }
  }

  async #change(
    name: string,
    change: (old: JsonObject) => JsonObject,
    subresource: string | null = null,
  ): Promise<void> {
    const node = this.#nodeOf(name);
    if (!node || change(node) === node) return;
    try {
      const target = { definition: nodes, namespace: '', name, subresource };
      await this.#parts.registry.update({ ...target, change });
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  #nodeOf(name: string): JsonObject | undefined {
    return this.#parts.store.get(keyOf({ definition: nodes, namespace: '', name }))?.value;
  }

  #record(node: JsonObject, reason: string, what: string): Promise<void> {
    const name = textOf(metadataOf(node)['name']);
    const message = `Node ${name} event: ${what}`;
    return this.#events.record(referenceTo(node), { type: 'Normal', reason, message });
  }

  #now(): string {
    return formatTime(this.#parts.clock.now());
  }
}

function heartbeatOf(node: JsonObject): string {
  return textOf(readyConditionOf(node)?.['lastHeartbeatTime']);
}

function renewTimeOf(lease: JsonObject): string {
  return textAt(lease, 'spec.renewTime');
}

/** Omits the resourceVersion, so that repeated Events about a node count as the same. */
function referenceTo(node: JsonObject): JsonObject {
  const { name = '', uid = '' } = metadataOf(node);
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, uid } };
}
