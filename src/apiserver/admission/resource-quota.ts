/**
 * Quotas of a namespace: nobody takes more than is left, and the accounts are kept in the very commit
 * that changes what they count.
 *
 * Many objects may be on their way at once. Each sees the accounts as those before it will leave them,
 * even if they are not durable yet: what was handed to the store is remembered until the store shows
 * it. If it never does, the expectation fails, and the write is judged again.
 */
import { formatQuantity } from '../../api/quantity-text.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Change, ObjectStore, StoredObject } from '../../ports/object-store.ts';
import type { KindDefinition } from '../kind.ts';
import { structAt } from '../kinds/field-path.ts';
import { resourceQuotas } from '../kinds/resource-quota.ts';
import { nameOf, withMetadata } from '../metadata.ts';
import { keyOf, prefixOf } from '../registry.ts';
import { forbidden } from '../status.ts';
import type { Admission, AdmissionRequest } from './admission.ts';
import { account } from './resource-quota-account.ts';
import type { Amounts } from './resource-quota-usage.ts';

export class ResourceQuotas implements Admission {
  readonly #store: ObjectStore;
  readonly #clock: Pick<Clock, 'now'>;
  /** What the store was handed and does not show yet. */
  readonly #pending = new Map<string, StoredObject>();

  constructor(store: ObjectStore, clock: Pick<Clock, 'now'>) {
    this.#store = store;
    this.#clock = clock;
  }

  admit({ object }: AdmissionRequest): JsonObject {
    return object;
  }

  charge(request: AdmissionRequest): readonly Change[] {
    const { definition, namespace, object } = request;
    if (!definition.namespaced || isEvent(definition)) return [];
    const own = keyOf(request);
    const quotas = this.#store.list(prefixOf(resourceQuotas, namespace)).objects;
    return quotas.flatMap((stored) => {
      // A quota does not charge a write to itself: that write has the last word.
      if (stored.key === own) return [];
      const quota = this.#newest(stored);
      const outcome = account(quota.value, request, this.#clock.now());
      if (outcome.type === 'unchanged') return [];
      if (outcome.type === 'used') return this.#changeOf(quota, outcome.used);
      throw forbidden(definition, nameOf(object), outcome.why);
    });
  }

  #newest(stored: StoredObject): StoredObject {
    const pending = this.#pending.get(stored.key);
    if (pending && pending.revision > this.#store.revision) return pending;
    this.#pending.delete(stored.key);
    return stored;
  }

  #changeOf({ key, value, revision: expected }: StoredObject, used: Amounts): Change {
    const printed = Object.fromEntries(
      [...used].map(([name, amount]) => [name, formatQuantity(amount)]),
    );
    const changed = { ...value, status: { ...structAt(value, 'status'), used: printed } };
    const make = (revision: number): JsonObject => {
      const charged = withMetadata(changed, { resourceVersion: String(revision) });
      this.#pending.set(key, { key, value: charged, revision });
      return charged;
    };
    return { key, expected, make };
  }
}

/** Events have never counted. */
function isEvent({ group, resource }: KindDefinition): boolean {
  return resource === 'events' && (group === '' || group === 'events.k8s.io');
}
