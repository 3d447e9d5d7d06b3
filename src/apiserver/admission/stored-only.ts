/**
 * Warns clients that write an object on which no controller acts: a policy that is stored but not enforced
 * looks enforced, and a StatefulSet without a controller looks broken.
 *
 * 1. Writes to subresources get no warning: a status is written by the component that acts on the kind.
 * 2. Components of Kubernetes get no warnings: no person reads the responses to them.
 * 3. A kind whose controller is disabled by `--controllers` is stored only, too.
 * 4. While a kube-controller-manager holds its lease, writes of the kinds that it manages get no warning.
 */
import { parseTime } from '../../api/values/time.ts';
import { PodkeepError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ObjectStore } from '../../ports/api/object-store.ts';
import { numberAt, textAt } from '../objects/field-path.ts';
import { leases } from '../kinds/core/lease.ts';
import { keyOf } from '../registry/registry.ts';
import type { Admission, AdmissionRequest } from '../registry/admission.ts';
import { CONTROLLER_OF, leftOutSentence } from './controlled-kinds.ts';
import { STORED_ONLY_KINDS, type StoredOnlyKind } from './stored-only-kinds.ts';

/** How podkeep's own identity begins when it holds that lease itself. */
export const MANAGER_IDENTITY_PREFIX = 'podkeep_';

const LEASE = { definition: leases, namespace: 'kube-system', name: 'kube-controller-manager' };
const COMPONENTS = ['system:kube-', 'system:node:', 'system:serviceaccount:kube-system:'];
const MS_PER_SECOND = 1000;

const BY_RESOURCE: ReadonlyMap<string, StoredOnlyKind> = new Map(
  STORED_ONLY_KINDS.map((one) => [one.resource, one]),
);

export class StoredOnly implements Admission {
  readonly #store: ObjectStore;
  readonly #clock: Pick<Clock, 'now'>;

  readonly #runs: (controller: string) => boolean;

  constructor(
    store: ObjectStore,
    clock: Pick<Clock, 'now'>,
    runs: (controller: string) => boolean = () => true,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#runs = runs;
  }

  admit({ object }: AdmissionRequest): JsonObject {
    return object;
  }

  review({ verb, definition, subresource, object, user, warn }: AdmissionRequest): void {
    if (!warn || verb === 'delete' || subresource !== null) return;
    const { group, resource } = definition;
    const name = group === '' ? resource : `${resource}.${group}`;
    const kind = BY_RESOURCE.get(name) ?? this.#leftOut(name);
    if (!kind || kind.holds?.(object) === false) return;
    if (COMPONENTS.some((prefix) => user.name.startsWith(prefix))) return;
    if (kind.isManaged === true && this.#hasControllerManager()) return;
    warn(kind.sentence);
  }

  #leftOut(resource: string): StoredOnlyKind | undefined {
    const controller = CONTROLLER_OF.get(resource);
    if (controller === undefined || this.#runs(controller)) return undefined;
    return { resource, sentence: leftOutSentence(resource, controller), isManaged: true };
  }

  #hasControllerManager(): boolean {
    const lease = this.#store.get(keyOf(LEASE))?.value;
    const holder = lease ? textAt(lease, 'spec.holderIdentity') : '';
    if (!lease || holder === '' || holder.startsWith(MANAGER_IDENTITY_PREFIX)) return false;
    const heldMs = numberAt(lease, 'spec.leaseDurationSeconds') * MS_PER_SECOND;
    return readTimeMs(textAt(lease, 'spec.renewTime')) + heldMs > this.#clock.now();
  }
}

/** An unreadable time counts as long ago. */
function readTimeMs(text: string): number {
  try {
    return parseTime(text).ms;
  } catch (error) {
    if (error instanceof PodkeepError) return 0;
    throw error;
  }
}
