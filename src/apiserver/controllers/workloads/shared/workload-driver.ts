/**
 * Queues objects for a workload controller: when an object of its kind changes, or an object that it owns.
 *
 *     the object itself changes ─────────────> its key
 *     an owned object changes ───────────────> the keys of its controller before and after the change
 *     an object without controller changes ──> the keys of all objects that select it: one may adopt it
 *
 * One worker at a time processes a key, and reads the newest state. So a decision depends only on the store,
 * and a process that is killed after any write continues with the same decision after its restart.
 */
import { jsonEqual } from '../../../../api/values/json-equal.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import type { KindDefinition } from '../../../objects/kind.ts';
import { labelsOf } from '../../../objects/object-labels.ts';
import { metadataOf, textOf } from '../../../objects/metadata.ts';
import { keyOf, prefixOf } from '../../../registry/registry.ts';
import { follow } from '../../../registry/object-feed.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import type { Controller } from '../../controller.ts';
import { WorkQueue } from '../../work-queue.ts';
import { isBeingDeleted } from '../../garbage/owner-reference.ts';
import { controllerRefOf, isOfKind } from './controller-ref.ts';
import type { OwnedChange, OwnedIndex } from './owned-index.ts';
import type { WorkloadEvents } from './workload-events.ts';

export interface WorkloadDriverOptions {
  readonly parts: ServerParts;
  readonly name: string;
  readonly definition: KindDefinition;
  readonly events: WorkloadEvents;
  /** The indexes of the objects that they own. */
  readonly owned: readonly OwnedIndex[];
  /** Whether an object may adopt this one. Absent: it adopts nothing. */
  readonly selects?: (owner: JsonObject, candidate: JsonObject) => boolean;
  /** The delay until the next sync in milliseconds. Null: sync again only when something changes. */
  readonly sync: (object: JsonObject, key: string) => Promise<number | null>;
  /** Called when the object is deleted. */
  readonly forget?: (key: string) => Promise<void> | void;
}

export class WorkloadDriver implements Controller {
  readonly #options: WorkloadDriverOptions;
  readonly #queue: WorkQueue;
  readonly #leave: (() => void)[] = [];

  constructor(options: WorkloadDriverOptions) {
    this.#options = options;
    const { parts, name, definition, owned } = options;
    const { clock, random, log, store } = parts;
    const work = (key: string): Promise<void> => this.#work(key);
    this.#queue = new WorkQueue({ clock, random, log, name, work });
    this.#leave.push(
      follow(store, prefixOf(definition, ''), ({ key }) => this.#queue.add(key)),
      ...owned.map((index) => index.subscribe((change) => this.#notice(change))),
    );
  }

  enqueue(key: string): void {
    this.#queue.add(key);
  }

  enqueueAfter(key: string, delayMs: number): void {
    this.#queue.addAfter(key, delayMs);
  }

  async stop(): Promise<void> {
    for (const leave of this.#leave) leave();
    await this.#queue.stop();
    await this.#options.events.drained();
  }

  async #work(key: string): Promise<void> {
    const { parts, sync, forget } = this.#options;
    const object = parts.store.get(key)?.value;
    if (!object) {
      await forget?.(key);
      return;
    }
    const againMs = await sync(object, key);
    if (againMs !== null) this.#queue.addAfter(key, Math.max(againMs, 0));
  }

  #notice({ value, before, isGone }: OwnedChange): void {
    const { definition } = this.#options;
    const references = [controllerRefOf(value), before && controllerRefOf(before)];
    const namespace = textOf(metadataOf(value)['namespace']);
    for (const reference of references) {
      if (!reference || !isOfKind(reference, definition)) continue;
      this.#queue.add(keyOf({ definition, namespace, name: reference.name }));
    }
    if (references[0] || isGone || isBeingDeleted(value)) return;
    if (!before || references[1] || !jsonEqual(labelsOf(value), labelsOf(before))) {
      this.#offer(namespace, value);
    }
  }

  #offer(namespace: string, orphan: JsonObject): void {
    const { parts, definition, selects } = this.#options;
    if (!selects) return;
    for (const { key, value } of parts.store.list(prefixOf(definition, namespace)).objects) {
      if (selects(value, orphan)) this.#queue.add(key);
    }
  }
}
