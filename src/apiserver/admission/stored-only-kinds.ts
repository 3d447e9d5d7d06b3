/**
 * The kinds that this API server stores and validates, and on which nothing in podkeep acts yet.
 *
 * Every kind that is served is either acted on or listed here (stored-only-kinds.test.ts), and
 * docs/controllers.md has the same table.
 */
import type { JsonObject } from '../../lib/json.ts';
import { valueAt } from '../kinds/field-path.ts';
import { isGiven } from '../kinds/validation/json-reading.ts';

export interface StoredOnlyKind {
  /** As kubectl prints it: `deployments.apps`. */
  readonly resource: string;
  /** For the Warning header of every write. */
  readonly sentence: string;
  /** kube-controller-manager acts on it: while one is attached, there is nothing to warn of. */
  readonly isManaged?: true;
  /** Of which objects it holds; absent: of all. */
  readonly holds?: (object: JsonObject) => boolean;
}

const MANAGED = [
  ['daemonsets.apps', 'DaemonSets', 'daemon set controller'],
  ['deployments.apps', 'Deployments', 'deployment controller'],
  ['replicasets.apps', 'ReplicaSets', 'replica set controller'],
  ['statefulsets.apps', 'StatefulSets', 'stateful set controller'],
  ['horizontalpodautoscalers.autoscaling', 'HorizontalPodAutoscalers', 'autoscaler'],
  ['cronjobs.batch', 'CronJobs', 'cron job controller'],
  ['jobs.batch', 'Jobs', 'job controller'],
  ['poddisruptionbudgets.policy', 'PodDisruptionBudgets', 'disruption controller'],
  ['persistentvolumeclaims', 'PersistentVolumeClaims', 'volume binder'],
  ['replicationcontrollers', 'ReplicationControllers', 'replication controller'],
  ['storageclasses.storage.k8s.io', 'StorageClasses', 'volume provisioner'],
  ['volumeattachments.storage.k8s.io', 'VolumeAttachments', 'attach-detach controller'],
] as const;

const UNUSED: readonly StoredOnlyKind[] = [
  ...[
    ['mutatingadmissionpolicies', 'MutatingAdmissionPolicies'],
    ['mutatingadmissionpolicybindings', 'MutatingAdmissionPolicyBindings'],
    ['validatingadmissionpolicies', 'ValidatingAdmissionPolicies'],
    ['validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBindings'],
  ].map(([resource, kinds]) => ({
    resource: `${resource}.admissionregistration.k8s.io`,
    sentence: `podkeep stores ${kinds} but evaluates no admission policies yet`,
  })),
  ...[
    ['mutatingwebhookconfigurations', 'MutatingWebhookConfigurations'],
    ['validatingwebhookconfigurations', 'ValidatingWebhookConfigurations'],
  ].map(([resource, kinds]) => ({
    resource: `${resource}.admissionregistration.k8s.io`,
    sentence: `podkeep stores ${kinds} but calls no admission webhooks yet`,
  })),
  {
    resource: 'customresourcedefinitions.apiextensions.k8s.io',
    sentence:
      'podkeep calls no conversion webhooks yet and serves only the storage version of this CustomResourceDefinition',
    holds: (object) => valueAt(object, 'spec.conversion.strategy') === 'Webhook',
  },
  {
    resource: 'apiservices.apiregistration.k8s.io',
    sentence: 'podkeep stores APIServices but proxies to no remote API server yet',
    holds: (object) => isGiven(valueAt(object, 'spec.service')),
  },
  {
    resource: 'flowschemas.flowcontrol.apiserver.k8s.io',
    sentence: 'podkeep stores FlowSchemas but has no API priority and fairness yet',
  },
  {
    resource: 'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
    sentence: 'podkeep stores PriorityLevelConfigurations but has no API priority and fairness yet',
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
  {
    resource: 'runtimeclasses.node.k8s.io',
    sentence:
      'podkeep stores overhead and scheduling of RuntimeClasses but applies neither to pods yet',
    holds: (object) => isGiven(object['overhead']) || isGiven(object['scheduling']),
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
