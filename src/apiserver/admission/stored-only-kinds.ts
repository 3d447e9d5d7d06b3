/**
 * Lists the kinds that this API server stores and validates but on which no part of podkeep acts yet.
 *
 * Every served kind is either acted on or listed here (stored-only-kinds.test.ts); docs/controllers.md has
 * the same table.
 */
import type { JsonObject } from '../../lib/json.ts';
import { valueAt } from '../objects/field-path.ts';
import { readText } from '../../api/validation/json-reading.ts';
import { hasService, servesItself } from '../kinds/extension/api-service.ts';

export interface StoredOnlyKind {
  /** As kubectl prints it: `cronjobs.batch`. */
  readonly resource: string;
  /** For the Warning header of every write. */
  readonly sentence: string;
  /** kube-controller-manager acts on it: while one is attached, there is no warning. */
  readonly isManaged?: true;
  /** For which objects the sentence is true; absent: for all. */
  readonly holds?: (object: JsonObject) => boolean;
}

const MANAGED = [
  ['volumeattachments.storage.k8s.io', 'VolumeAttachments', 'attach-detach controller'],
] as const;

/** Provisioners of other names run in the cluster, if at all. */
const IN_TREE = 'kubernetes.io/';
/** The class says itself that its volumes are created by hand. */
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

const UNUSED: readonly StoredOnlyKind[] = [
  {
    resource: 'apiservices.apiregistration.k8s.io',
    sentence: 'podkeep serves this group itself and does not use the Service of its APIService',
    holds: (object) => hasService(object) && servesItself(object),
  },
  {
    resource: 'flowschemas.flowcontrol.apiserver.k8s.io',
    sentence: 'podkeep stores FlowSchemas but does not read them: its priority levels are fixed',
  },
  {
    resource: 'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
    sentence:
      'podkeep stores PriorityLevelConfigurations but does not read them: its priority levels are fixed',
  },
  {
    resource: 'ingresses.networking.k8s.io',
    sentence: 'podkeep stores Ingresses but runs no ingress controller',
  },
  {
    resource: 'ingressclasses.networking.k8s.io',
    sentence: 'podkeep stores IngressClasses but runs no ingress controller',
  },
  {
    resource: 'ipaddresses.networking.k8s.io',
    sentence: 'podkeep stores IPAddresses but does not allocate addresses of Services by them yet',
  },
  {
    resource: 'networkpolicies.networking.k8s.io',
    sentence: 'podkeep stores NetworkPolicies but enforces none yet: all traffic is allowed',
  },
  {
    resource: 'servicecidrs.networking.k8s.io',
    sentence:
      'podkeep stores ServiceCIDRs but allocates addresses of Services from 10.96.0.0/12 only',
  },
  ...[
    ['deviceclasses', 'DeviceClasses'],
    ['resourceclaims', 'ResourceClaims'],
    ['resourceclaimtemplates', 'ResourceClaimTemplates'],
    ['resourceslices', 'ResourceSlices'],
  ].map(([resource, kinds]) => ({
    resource: `${resource}.resource.k8s.io`,
    sentence: `podkeep stores ${kinds} but allocates no devices yet`,
  })),
  {
    resource: 'services',
    sentence:
      'podkeep gives Services addresses but runs no service proxy yet: connections to the addresses go nowhere',
    holds: (object) => valueAt(object, 'spec.type') !== 'ExternalName',
  },
  {
    resource: 'storageclasses.storage.k8s.io',
    sentence:
      'podkeep has no provisioner of this name: claims of this StorageClass wait for volumes that are created by hand',
    holds: ({ provisioner }) =>
      readText(provisioner).startsWith(IN_TREE) && provisioner !== NO_PROVISIONER,
  },
  ...[
    ['csidrivers', 'CSIDrivers'],
    ['csinodes', 'CSINodes'],
    ['csistoragecapacities', 'CSIStorageCapacities'],
    ['volumeattributesclasses', 'VolumeAttributesClasses'],
  ].map(([resource, kinds]) => ({
    resource: `${resource}.storage.k8s.io`,
    sentence: `podkeep stores ${kinds} but uses no CSI drivers yet`,
  })),
];

export const STORED_ONLY_KINDS: readonly StoredOnlyKind[] = [
  ...MANAGED.map(([resource, kinds, controller]) => ({
    resource,
    sentence:
      `podkeep stores ${kinds} but runs no ${controller} yet; ` +
      'run kube-controller-manager against it, see docs/controllers.md',
    isManaged: true as const,
  })),
  ...UNUSED,
].toSorted((a, b) => (a.resource < b.resource ? -1 : 1));
