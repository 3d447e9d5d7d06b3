/**
 * Admission plugin ResourceQuota: refuses writes that exceed a quota, and updates the quota's usage in the
 * same commit as the object.
 *
 * Many writes may be in flight at once. Each sees the usage including earlier writes that are not durable
 * yet: this file keeps a quota that it has passed to the store until the store returns it. If the earlier
 * commit fails, the commit of the later write fails its revision check, and the write is checked again.
 */
import { formatQuantity } from '../../api/values/quantity-text.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Change, ObjectStore, StoredObject } from '../../ports/api/object-store.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { structAt } from '../objects/field-path.ts';
import { resourceQuotas } from '../kinds/core/resource-quota.ts';
import { nameOf, withMetadata } from '../objects/metadata.ts';
import { keyOf, prefixOf } from '../registry/registry.ts';
import { forbidden } from '../objects/status.ts';
import type { Admission, AdmissionRequest } from '../registry/admission.ts';
import { account } from './resource-quota-account.ts';
import type { QuotaAmounts } from './resource-quota-usage.ts';

export class ResourceQuotas implements Admission {
  readonly #store: ObjectStore;
  readonly #clock: Pick<Clock, 'now'>;
  /** Quotas that were passed to the store and that it does not return yet. */
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
      // A write to a quota is not charged to that quota, which it would overwrite.
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

  #changeOf({ key, value, revision: expected }: StoredObject, used: QuotaAmounts): Change {
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

/** Quotas do not count Events, as in Kubernetes. */
function isEvent({ group, resource }: KindDefinition): boolean {
  return resource === 'events' && (group === '' || group === 'events.k8s.io');
}
