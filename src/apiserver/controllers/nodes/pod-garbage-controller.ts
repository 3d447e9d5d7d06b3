/**
 * Pod garbage collector: deletes pods that no kubelet will delete: pods bound to a node that does not exist,
 * terminating pods on a node that is out of service, and terminating pods without a node.
 *
 * A node may be missing only briefly, for example while it registers again, so pods of a missing node are
 * deleted only after 40 seconds.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { objectsAt, textAt } from '../../objects/field-path.ts';
import { nodes } from '../../kinds/core/node.ts';
import { pods } from '../../kinds/core/pods.ts';
import { metadataOf } from '../../objects/metadata.ts';
import { keyOf, prefixOf } from '../../registry/registry.ts';
import type { ServerParts } from '../../registry/server-parts.ts';
import type { Controller } from '../controller.ts';
import { follow } from '../../registry/object-feed.ts';
import { readKey } from '../object-key.ts';
import { WorkQueue } from '../work-queue.ts';
import { readyStatusOf } from './node-health.ts';
import { endPod } from './pod-ending.ts';

const QUARANTINE_MS = 40_000;
const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';
const NODE_GONE = { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' };

export class PodGarbageController implements Controller {
  readonly #parts: ServerParts;
  readonly #queue: WorkQueue;
  readonly #leave: readonly (() => void)[];
  /** Since when each missing node with bound pods is missing. */
  readonly #missingMs = new Map<string, number>();

  constructor(parts: ServerParts) {
    this.#parts = parts;
    const { store, clock, random, log } = parts;
    const work = (key: string): Promise<void> => this.#settle(key);
    this.#queue = new WorkQueue({ clock, random, log, name: 'pod-garbage-collector', work });
    this.#leave = [
      follow(store, prefixOf(nodes, ''), ({ type, key, value }) => {
        const { name } = readKey(key);
        if (type === 'put') this.#missingMs.delete(name);
        if (type === 'delete' || isOutOfService(value)) this.#addPodsOn(name);
      }),
      follow(store, prefixOf(pods, ''), ({ type, key, value }) => {
        if (type === 'put' && this.#isSuspect(value)) this.#queue.add(key);
      }),
    ];
  }

  async stop(): Promise<void> {
    for (const leave of this.#leave) leave();
    await this.#queue.stop();
  }

  #addPodsOn(node: string): void {
    for (const { key, value } of this.#parts.store.list(prefixOf(pods, '')).objects) {
      if (textAt(value, 'spec.nodeName') === node) this.#queue.add(key);
    }
  }

  #isSuspect(pod: JsonObject): boolean {
    const isLeaving = metadataOf(pod)['deletionTimestamp'] !== undefined;
    const nodeName = textAt(pod, 'spec.nodeName');
    if (nodeName === '') return isLeaving;
    const node = this.#nodeOf(nodeName);
    return !node || (isLeaving && isOutOfService(node));
  }

  async #settle(key: string): Promise<void> {
    const pod = this.#parts.store.get(key)?.value;
    if (!pod || !this.#isSuspect(pod)) return;
    const nodeName = textAt(pod, 'spec.nodeName');
    const isMissing = nodeName !== '' && !this.#nodeOf(nodeName);
    const leftMs = isMissing ? this.#quarantineMs(nodeName) : 0;
    if (leftMs > 0) {
      this.#queue.addAfter(key, leftMs);
      return;
    }
    const { namespace, name } = readKey(key);
    const target = { definition: pods, namespace, name };
    await endPod(this.#parts, target, pod, { why: isMissing ? NODE_GONE : null, isLost: true });
  }

  #quarantineMs(node: string): number {
    const nowMs = this.#parts.clock.monotonic();
    const sinceMs = this.#missingMs.get(node) ?? nowMs;
    this.#missingMs.set(node, sinceMs);
    return sinceMs + QUARANTINE_MS - nowMs;
  }

  #nodeOf(name: string): JsonObject | undefined {
    return this.#parts.store.get(keyOf({ definition: nodes, namespace: '', name }))?.value;
  }
}

function isOutOfService(node: JsonObject): boolean {
  const isTainted = objectsAt(node, 'spec.taints').some(({ key }) => key === OUT_OF_SERVICE);
  return isTainted && readyStatusOf(node) !== 'True';
}
