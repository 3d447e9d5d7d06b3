/** Lists every built-in kind that the server serves, in the order of the groups in discovery. */
import type { KindDefinition } from '../objects/kind.ts';
import {
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
} from './extension/admission-policy.ts';
import {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from './extension/admission-webhook.ts';
import { apiServices } from './extension/api-service.ts';
import { oldHorizontalPodAutoscalers } from './autoscaling/autoscaler-v1.ts';
import { certificateSigningRequests } from './rbac/certificate-signing-request.ts';
import { componentStatuses } from './core/component-status.ts';
import { configMaps } from './core/config-map.ts';
import { controllerRevisions } from './apps/controller-revision.ts';
import { cronJobs } from './batch/cron-job.ts';
import { csiDrivers, csiNodes, csiStorageCapacities } from './storage/csi.ts';
import { customResourceDefinitions } from '../custom/custom-resource-definition.ts';
import { daemonSets } from './apps/daemon-set.ts';
import { deployments } from './apps/deployment.ts';
import { deviceClasses } from './devices/device-class.ts';
import { resourceClaims, resourceClaimTemplates } from './devices/resource-claim.ts';
import { resourceSlices } from './devices/resource-slice.ts';
import { endpointSlices } from './networking/endpoint-slice.ts';
import { endpoints } from './networking/endpoints.ts';
import { events, groupEvents } from './core/event.ts';
import { flowSchemas, priorityLevelConfigurations } from './extension/flow-control.ts';
import { horizontalPodAutoscalers } from './autoscaling/horizontal-pod-autoscaler.ts';
import { ingressClasses } from './networking/ingress-class.ts';
import { ingresses } from './networking/ingress.ts';
import { jobs } from './batch/job.ts';
import { leases } from './core/lease.ts';
import { limitRanges } from './core/limit-range.ts';
import { namespaces } from './core/namespace.ts';
import { networkPolicies } from './networking/network-policy.ts';
import { nodes } from './core/node.ts';
import { persistentVolumeClaims } from './storage/persistent-volume-claim.ts';
import { persistentVolumes } from './storage/persistent-volume.ts';
import { podDisruptionBudgets } from './apps/pod-disruption-budget.ts';
import { podTemplates } from './core/pod-template-object.ts';
import { bindings, pods } from './core/pods.ts';
import { priorityClasses } from './core/priority-class.ts';
import { clusterRoleBindings, roleBindings } from './rbac/rbac-binding.ts';
import { clusterRoles, roles } from './rbac/rbac-role.ts';
import { replicaSets } from './apps/replica-set.ts';
import { replicationControllers } from './apps/replication-controller.ts';
import { resourceQuotas } from './core/resource-quota.ts';
import {
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
  tokenReviews,
} from './rbac/reviews.ts';
import { runtimeClasses } from './core/runtime-class.ts';
import { secrets } from './core/secret.ts';
import { serviceAccounts } from './rbac/service-account.ts';
import { ipAddresses, serviceCidrs } from './networking/service-network.ts';
import { services } from './networking/service.ts';
import { statefulSets } from './apps/stateful-set.ts';
import { storageClasses } from './storage/storage-class.ts';
import { volumeAttachments } from './storage/volume-attachment.ts';
import { volumeAttributesClasses } from './storage/volume-attributes-class.ts';

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
