/**
 * ResourceQuota controller: recounts the usage of a namespace when a quota is new, has changed or has no
 * usage yet, and when a terminating pod has exceeded its grace period and no longer counts.
 *
 * Every other change of usage is recorded by admission (admission/resource-quota.ts). A recount reads the
 * store and the quota at the same revision, and its write fails if the quota has changed since, so it cannot
 * undo a change by admission.
 */
import { jsonEqual } from '../../../api/values/json-equal.ts';
import { addQuantities, ZERO_QUANTITY, type Quantity } from '../../../api/values/quantity.ts';
import { formatQuantity } from '../../../api/values/quantity-text.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { isInScopes } from '../../admission/resource-quota-scopes.ts';
import { countsUnder, overdueMs, usageOf } from '../../admission/resource-quota-usage.ts';
import { structAt } from '../../objects/field-path.ts';
import { pods } from '../../kinds/core/pods.ts';
import { resourceQuotas } from '../../kinds/core/resource-quota.ts';
import { prefixOf } from '../../registry/registry.ts';
import type { ServerParts } from '../../registry/server-parts.ts';
import { fromStored } from '../../objects/stored-form.ts';
import type { Controller } from '../controller.ts';
import { isMissing } from '../deletion-request.ts';
import { follow } from '../../registry/object-feed.ts';
import { readKey } from '../object-key.ts';
import { storedKinds } from '../stored-kinds.ts';
import { WorkQueue } from '../work-queue.ts';

const LITTLE_MS = 1;

export class QuotaController implements Controller {
  readonly #parts: ServerParts;
  readonly #queue: WorkQueue;
  readonly #leave: readonly (() => void)[];

  constructor(parts: ServerParts) {
    this.#parts = parts;
    const { store, clock, random, log } = parts;
    const work = (key: string): Promise<void> => this.#count(key);
    this.#queue = new WorkQueue({ clock, random, log, name: 'resource-quota', work });
    this.#leave = [
      follow(store, prefixOf(resourceQuotas, ''), ({ type, key, value, before }) => {
        if (type === 'put' && (!before || !isAccounted(value))) this.#queue.add(key);
      }),
      follow(store, prefixOf(pods, ''), ({ type, key, value }) => {
        const overMs = type === 'put' ? overdueMs(value) : null;
        if (overMs !== null) this.#waitFor(readKey(key).namespace, overMs);
      }),
    ];
  }

  async stop(): Promise<void> {
    for (const leave of this.#leave) leave();
    await this.#queue.stop();
  }

  #waitFor(namespace: string, overMs: number): void {
    const { store, clock } = this.#parts;
    const waitMs = Math.max(overMs - clock.now(), 0) + LITTLE_MS;
    for (const { key } of store.list(prefixOf(resourceQuotas, namespace)).objects) {
      this.#queue.addAfter(key, waitMs);
    }
  }

  async #count(key: string): Promise<void> {
    const { namespace, name } = readKey(key);
    const target = { definition: resourceQuotas, namespace, name, subresource: 'status' };
    const change = (old: JsonObject): JsonObject => {
      const hard = structAt(old, 'spec.hard');
      const used = this.#usedIn(namespace, old, Object.keys(hard));
      const status = { hard, used };
      return jsonEqual(structAt(old, 'status'), status) ? old : { ...old, status };
    };
    try {
      await this.#parts.registry.update({ ...target, change });
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    this.#waitForNext(namespace, key);
  }

  #usedIn(namespace: string, quota: JsonObject, names: readonly string[]): JsonObject {
    const { store, catalog, clock } = this.#parts;
    const totals = new Map<string, Quantity>();
    const nowMs = clock.now();
    for (const definition of storedKinds(catalog)) {
      const own = names.filter((name) => definition.namespaced && countsUnder(definition, name));
      if (own.length === 0) continue;
      for (const name of own) totals.set(name, totals.get(name) ?? ZERO_QUANTITY);
      for (const { value } of store.list(prefixOf(definition, namespace)).objects) {
        // Of a custom object only its metadata counts, which is the same in all versions.
        const object = definition.storedAs?.webhook ? value : fromStored(definition, value);
        if (!isInScopes(quota, definition, object)) continue;
        const usage = usageOf(definition, object, nowMs);
        for (const name of own) {
          const sum = addQuantities(
            totals.get(name) ?? ZERO_QUANTITY,
            usage.get(name) ?? ZERO_QUANTITY,
          );
          totals.set(name, sum);
        }
      }
    }
    return Object.fromEntries([...totals].map(([name, amount]) => [name, formatQuantity(amount)]));
  }

  /** Schedules a recount for the next pod that stops counting. */
  #waitForNext(namespace: string, key: string): void {
    const { store, clock } = this.#parts;
    const nowMs = clock.now();
    const times = store
      .list(prefixOf(pods, namespace))
      .objects.flatMap(({ value }) => overdueMs(value) ?? [])
      .filter((overMs) => overMs >= nowMs);
    if (times.length > 0) this.#queue.addAfter(key, Math.min(...times) - nowMs + LITTLE_MS);
  }
}

/** Whether the status covers the current spec. It does not show whether the numbers are right. */
function isAccounted(quota: JsonObject): boolean {
  const { hard, used } = structAt(quota, 'status');
  return used !== undefined && jsonEqual(structAt(quota, 'spec.hard'), hard ?? null);
}
