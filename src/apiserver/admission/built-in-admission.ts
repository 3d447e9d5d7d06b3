/** Lists the built-in admission plugins, in kube-apiserver's order. */
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { ObjectStore } from '../../ports/api/object-store.ts';
import type { IdentityRandom } from '../../ports/random.ts';
import type { Admission } from '../registry/admission.ts';
import { ClaimResize } from './classes/claim-resize.ts';
import { defaultIngressClass, defaultStorageClass } from './classes/default-class.ts';
import { defaultTolerations } from './default-tolerations.ts';
import { LimitRanger } from './limit-ranger.ts';
import { NamespaceLifecycle } from './namespace-lifecycle.ts';
import { PodSecurity } from './pod-security/pod-security.ts';
import { PodResize } from './pod-resize.ts';
import { Priority } from './priority.ts';
import { ResourceQuotas } from './resource-quota.ts';
import { PodTopologyLabels } from './scheduling/pod-topology-labels.ts';
import { RuntimeClassAdmission } from './scheduling/runtime-class.ts';
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
    new Priority(store),
    defaultTolerations,
    defaultStorageClass(store),
    new RuntimeClassAdmission(store),
    defaultIngressClass(store),
    new PodTopologyLabels(store),
    new PodResize(store),
    new ServiceAddresses(store, random),
    new ServerTimes(clock),
    new ClaimResize(store),
    new PodSecurity(store, log),
    new ResourceQuotas(store, clock),
  ];
}
