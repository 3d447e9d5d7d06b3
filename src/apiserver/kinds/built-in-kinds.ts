/** Every built-in kind that the server serves, in the order in which discovery tells the groups. */
import type { KindDefinition } from '../kind.ts';
import {
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
} from './admission-policy.ts';
import {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from './admission-webhook.ts';
import { apiServices } from './api-service.ts';
import { oldHorizontalPodAutoscalers } from './autoscaler-v1.ts';
import { certificateSigningRequests } from './certificate-signing-request.ts';
import { componentStatuses } from './component-status.ts';
import { configMaps } from './config-map.ts';
import { controllerRevisions } from './controller-revision.ts';
import { cronJobs } from './cron-job.ts';
import { csiDrivers, csiNodes, csiStorageCapacities } from './csi.ts';
import { customResourceDefinitions } from './custom-resource-definition.ts';
import { daemonSets } from './daemon-set.ts';
import { deployments } from './deployment.ts';
import { deviceClasses } from './devices/device-class.ts';
import { resourceClaims, resourceClaimTemplates } from './devices/resource-claim.ts';
import { resourceSlices } from './devices/resource-slice.ts';
import { endpointSlices } from './endpoint-slice.ts';
import { endpoints } from './endpoints.ts';
import { events, groupEvents } from './event.ts';
import { flowSchemas, priorityLevelConfigurations } from './flow-control.ts';
import { horizontalPodAutoscalers } from './horizontal-pod-autoscaler.ts';
import { ingressClasses } from './ingress-class.ts';
import { ingresses } from './ingress.ts';
import { jobs } from './job.ts';
import { leases } from './lease.ts';
import { limitRanges } from './limit-range.ts';
import { namespaces } from './namespace.ts';
import { networkPolicies } from './network-policy.ts';
import { nodes } from './node.ts';
import { persistentVolumeClaims } from './persistent-volume-claim.ts';
import { persistentVolumes } from './persistent-volume.ts';
import { podDisruptionBudgets } from './pod-disruption-budget.ts';
import { podTemplates } from './pod-template-object.ts';
import { bindings, pods } from './pods.ts';
import { priorityClasses } from './priority-class.ts';
import { clusterRoleBindings, roleBindings } from './rbac-binding.ts';
import { clusterRoles, roles } from './rbac-role.ts';
import { replicaSets } from './replica-set.ts';
import { replicationControllers } from './replication-controller.ts';
import { resourceQuotas } from './resource-quota.ts';
import {
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
  tokenReviews,
} from './reviews.ts';
import { runtimeClasses } from './runtime-class.ts';
import { secrets } from './secret.ts';
import { serviceAccounts } from './service-account.ts';
import { ipAddresses, serviceCidrs } from './service-network.ts';
import { services } from './service.ts';
import { statefulSets } from './stateful-set.ts';
import { storageClasses } from './storage-class.ts';
import { volumeAttachments } from './volume-attachment.ts';
import { volumeAttributesClasses } from './volume-attributes-class.ts';

const core: readonly KindDefinition[] = [
  bindings,
  componentStatuses,
  configMaps,
  endpoints,
  events,
  limitRanges,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  podTemplates,
  pods,
  replicationControllers,
  resourceQuotas,
  secrets,
  serviceAccounts,
  services,
];

const workloads: readonly KindDefinition[] = [
  controllerRevisions,
  daemonSets,
  deployments,
  replicaSets,
  statefulSets,
];

const reviews: readonly KindDefinition[] = [
  selfSubjectReviews,
  tokenReviews,
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
];

const storage: readonly KindDefinition[] = [
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  storageClasses,
  volumeAttachments,
  volumeAttributesClasses,
];

const devices: readonly KindDefinition[] = [
  deviceClasses,
  resourceClaims,
  resourceClaimTemplates,
  resourceSlices,
];

const admission: readonly KindDefinition[] = [
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
  mutatingWebhookConfigurations,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
  validatingWebhookConfigurations,
];

export const builtInKinds: readonly KindDefinition[] = [
  ...core,
  apiServices,
  ...workloads,
  groupEvents,
  ...reviews,
  horizontalPodAutoscalers,
  oldHorizontalPodAutoscalers,
  jobs,
  cronJobs,
  certificateSigningRequests,
  ingresses,
  ingressClasses,
  networkPolicies,
  ipAddresses,
  serviceCidrs,
  podDisruptionBudgets,
  clusterRoleBindings,
  clusterRoles,
  roleBindings,
  roles,
  ...storage,
  ...admission,
  customResourceDefinitions,
  priorityClasses,
  leases,
  runtimeClasses,
  endpointSlices,
  ...devices,
  flowSchemas,
  priorityLevelConfigurations,
];
