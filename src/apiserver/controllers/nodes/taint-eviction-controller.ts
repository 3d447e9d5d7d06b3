/**
 * Taint eviction controller: evicts pods from nodes with NoExecute taints when their toleration expires.
 *
 *     taints and tolerations ──> never, after tolerationSeconds, or immediately
 *
 * The time runs from when the taint is first seen. Later changes do not restart it, and it ends when the
 * taints are removed. After a restart of the server it starts again.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { objectsAt, textAt } from '../../objects/field-path.ts';
import { nodes } from '../../kinds/core/node.ts';
import { pods } from '../../kinds/core/pods.ts';
import { metadataOf, nameOf } from '../../objects/metadata.ts';
import { keyOf, prefixOf } from '../../registry/registry.ts';
import type { ServerParts } from '../../registry/server-parts.ts';
import type { Controller } from '../controller.ts';
import { EventRecorder } from '../event-recorder.ts';
import { follow } from '../../registry/object-feed.ts';
import { readKey } from '../object-key.ts';
import { readTaint } from '../scheduler/taints.ts';
import { WorkQueue } from '../work-queue.ts';
import { endPod } from './pod-ending.ts';
import { toleranceSeconds } from './taint-tolerance.ts';

const NAME = 'taint-eviction-controller';
const WHY = {
  reason: 'DeletionByTaintManager',
  message: 'Taint manager: deleting due to NoExecute taint',
};

interface PlannedEviction {
  readonly startMs: number;
  readonly endMs: number;
}

export class TaintEvictionController implements Controller {
  readonly #parts: ServerParts;
  readonly #queue: WorkQueue;
  readonly #events: EventRecorder;
  readonly #leave: readonly (() => void)[];
  readonly #planned = new Map<string, PlannedEviction>();

  constructor(parts: ServerParts) {
    this.#parts = parts;
    const { store, clock, random, log } = parts;
    const work = (key: string): Promise<void> => this.#settle(key);
    this.#queue = new WorkQueue({ clock, random, log, name: 'taint-eviction', work });
    this.#events = new EventRecorder(parts, NAME);
    this.#leave = [
      follow(store, prefixOf(nodes, ''), ({ type, value, before }) => {
        const isNew = noExecuteTaintsOf(value) !== (before ? noExecuteTaintsOf(before) : '');
        if (type === 'put' && isNew) this.#evaluatePodsOn(nameOf(value));
      }),
      follow(store, prefixOf(pods, ''), ({ type, key, value }) => {
        if (type === 'put') this.#evaluate(key, value);
        else this.#planned.delete(key);
      }),
    ];
  }

  async stop(): Promise<void> {
    for (const leave of this.#leave) leave();
    await this.#queue.stop();
  }

  #evaluatePodsOn(node: string): void {
    for (const { key, value } of this.#parts.store.list(prefixOf(pods, '')).objects) {
      if (textAt(value, 'spec.nodeName') === node) this.#evaluate(key, value);
    }
  }

  #evaluate(key: string, pod: JsonObject): void {
    const seconds = this.#secondsLeft(pod);
    if (seconds === Number.POSITIVE_INFINITY) {
      this.#cancel(key, pod);
      return;
    }
    const nowMs = this.#parts.clock.monotonic();
    const { startMs = nowMs, endMs = Number.POSITIVE_INFINITY } = this.#planned.get(key) ?? {};
    const next = seconds === 0 ? nowMs : startMs + seconds * 1000;
    if (next === endMs) return;
    this.#planned.set(key, { startMs, endMs: next });
    this.#queue.addAfter(key, Math.max(next - nowMs, 0));
  }

  /** Infinity also for pods without a node and for terminating pods. */
  #secondsLeft(pod: JsonObject): number {
    const nodeName = textAt(pod, 'spec.nodeName');
    const isLeaving = metadataOf(pod)['deletionTimestamp'] !== undefined;
    const node = this.#parts.store.get(
      keyOf({ definition: nodes, namespace: '', name: nodeName }),
    )?.value;
    if (nodeName === '' || isLeaving || !node) return Number.POSITIVE_INFINITY;
    const taints = objectsAt(node, 'spec.taints').map(readTaint);
    return toleranceSeconds(objectsAt(pod, 'spec.tolerations'), taints);
  }

  #cancel(key: string, pod: JsonObject): void {
    const isPlanned = this.#planned.delete(key);
    if (!isPlanned || metadataOf(pod)['deletionTimestamp'] !== undefined) return;
    void this.#record(pod, `Cancelling deletion of Pod ${printName(key)}`);
  }

  async #settle(key: string): Promise<void> {
    const { store, clock } = this.#parts;
    const planned = this.#planned.get(key);
    const pod = store.get(key)?.value;
    if (!planned || !pod) return;
    const leftMs = planned.endMs - clock.monotonic();
    if (leftMs > 0) {
      this.#queue.addAfter(key, leftMs);
      return;
    }
    await this.#record(pod, `Marking for deletion Pod ${printName(key)}`);
    const { namespace, name } = readKey(key);
    const target = { definition: pods, namespace, name };
    await endPod(this.#parts, target, pod, { why: WHY, isLost: false });
    this.#planned.delete(key);
  }

  #record(pod: JsonObject, message: string): Promise<void> {
    return this.#events.record(pod, { type: 'Normal', reason: 'TaintManagerEviction', message });
  }
}

function noExecuteTaintsOf(node: JsonObject): string {
  const sending = objectsAt(node, 'spec.taints')
    .map(readTaint)
    .filter(({ effect }) => effect === 'NoExecute');
  return sending.map(({ key, value }) => `${key}=${value}`).join(' ');
}

function printName(key: string): string {
  const { namespace, name } = readKey(key);
  return `${namespace}/${name}`;
}
