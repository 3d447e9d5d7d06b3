/**
 * Warns who writes an object that nothing will act on: a policy that is stored and not enforced looks
 * enforced, and a Deployment without a controller looks broken.
 *
 * 1. Only the object itself counts, and no subresource: a status is written by what acts on the kind.
 * 2. Components of Kubernetes are not warned: no person reads what they are answered.
 * 3. While a kube-controller-manager holds its lease, the kinds that it manages are acted on.
 */
import { parseTime } from '../../api/time.ts';
import { PodkeepError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import { numberAt, textAt } from '../kinds/field-path.ts';
import { leases } from '../kinds/lease.ts';
import { keyOf } from '../registry.ts';
import type { Admission, AdmissionRequest } from './admission.ts';
import { STORED_ONLY_KINDS, type StoredOnlyKind } from './stored-only-kinds.ts';

const LEASE = { definition: leases, namespace: 'kube-system', name: 'kube-controller-manager' };
const COMPONENTS = ['system:kube-', 'system:node:', 'system:serviceaccount:kube-system:'];
const MS_PER_SECOND = 1000;

const BY_RESOURCE: ReadonlyMap<string, StoredOnlyKind> = new Map(
  STORED_ONLY_KINDS.map((one) => [one.resource, one]),
);

export class StoredOnly implements Admission {
  readonly #store: ObjectStore;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(store: ObjectStore, clock: Pick<Clock, 'now'>) {
    this.#store = store;
    this.#clock = clock;
  }

  admit({ object }: AdmissionRequest): JsonObject {
    return object;
  }

  review({ verb, definition, subresource, object, user, warn }: AdmissionRequest): void {
    if (!warn || verb === 'delete' || subresource !== null) return;
    const { group, resource } = definition;
    const kind = BY_RESOURCE.get(group === '' ? resource : `${resource}.${group}`);
    if (!kind || kind.holds?.(object) === false) return;
    if (COMPONENTS.some((prefix) => user.name.startsWith(prefix))) return;
    if (kind.isManaged === true && this.#hasControllerManager()) return;
    warn(kind.sentence);
  }

  #hasControllerManager(): boolean {
    const lease = this.#store.get(keyOf(LEASE))?.value;
    if (!lease || textAt(lease, 'spec.holderIdentity') === '') return false;
    const heldMs = numberAt(lease, 'spec.leaseDurationSeconds') * MS_PER_SECOND;
    return readTimeMs(textAt(lease, 'spec.renewTime')) + heldMs > this.#clock.now();
  }
}

/** What is no time is long ago. */
function readTimeMs(text: string): number {
  try {
    return parseTime(text).ms;
  } catch (error) {
    if (error instanceof PodkeepError) return 0;
    throw error;
  }
}
