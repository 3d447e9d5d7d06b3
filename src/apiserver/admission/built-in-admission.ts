/** What every server asks of what comes in, in the order in which kube-apiserver asks. */
import type { ObjectStore } from '../../ports/object-store.ts';
import type { Random } from '../../ports/random.ts';
import type { Admission } from './admission.ts';
import { defaultTolerations } from './default-tolerations.ts';
import { NamespaceLifecycle } from './namespace-lifecycle.ts';
import { Priority } from './priority.ts';
import { ServiceAccounts } from './service-account.ts';

export function builtInAdmission(store: ObjectStore, random: Random): readonly Admission[] {
  return [
    new NamespaceLifecycle(store),
    new ServiceAccounts(store, random),
    defaultTolerations,
    new Priority(store),
  ];
}
