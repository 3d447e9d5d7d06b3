/** The dependencies of the registry. */
import type { Clock } from '../../ports/clock.ts';
import type { ObjectStore } from '../../ports/api/object-store.ts';
import type { IdentityRandom } from '../../ports/random.ts';
import type { FindKind } from '../objects/field-tracking.ts';
import type { Admission } from './admission.ts';
import type { DynamicAdmission } from './dynamic-admission.ts';

export interface RegistryPorts {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: IdentityRandom;
  readonly admission: Required<Admission>;
  /** Absent: there are no webhooks and no policies. */
  readonly dynamicAdmission?: DynamicAdmission;
  /** Finds other versions of a kind, for the managers of their fields. */
  readonly find: FindKind;
}
