/** What every server asks of what comes in, in the order in which kube-apiserver asks. */
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import type { IdentityRandom } from '../../ports/random.ts';
import type { Admission } from './admission.ts';
import { defaultTolerations } from './default-tolerations.ts';
import { LimitRanger } from './limit-ranger.ts';
import { NamespaceLifecycle } from './namespace-lifecycle.ts';
import { PodSecurity } from './pod-security/pod-security.ts';
import { Priority } from './priority.ts';
import { ResourceQuotas } from './resource-quota.ts';
import { ServerTimes } from './server-times.ts';
import { ServiceAccounts } from './service-account.ts';
import { ServiceAddresses } from './service-addresses.ts';

export function builtInAdmission(
  store: ObjectStore,
  random: IdentityRandom,
  clock: Clock,
  log: Log,
): readonly Admission[] {
  return [
    new NamespaceLifecycle(store),
    new LimitRanger(store),
    new ServiceAccounts(store, random),
    defaultTolerations,
    new Priority(store),
    new ServiceAddresses(store, random),
    new ServerTimes(clock),
    new PodSecurity(store, log),
    new ResourceQuotas(store, clock),
  ];
}
