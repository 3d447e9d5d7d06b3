/**
 * The fields that a write through a path does not change, because the server takes them from the stored
 * object: the status by way of the object itself, and the rest by way of its status. They get no manager.
 */
import { setOf, type FieldSet } from '../../api/managed-fields/field-set.ts';
import type { KindDefinition } from './kind.ts';

const STATUS = setOf([['f:status']]);
const SPEC = setOf([['f:spec']]);
const SPEC_AND_METADATA = setOf([['f:spec'], ['f:metadata']]);

/** Their status takes no metadata, either. */
const KEEPS_METADATA: ReadonlySet<string> = new Set([
  'scheduling.k8s.io/PodGroup',
  'networking.k8s.io/ServiceCIDR',
  'storagemigration.k8s.io/StorageVersionMigration',
  'resource.k8s.io/ResourceClaim',
  'resource.k8s.io/DeviceTaintRule',
  'resource.k8s.io/ResourcePoolStatusRequest',
  'internal.apiserver.k8s.io/StorageVersion',
  'storage.k8s.io/VolumeAttachment',
  'flowcontrol.apiserver.k8s.io/FlowSchema',
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration',
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy',
  'apiextensions.k8s.io/CustomResourceDefinition',
  'apiregistration.k8s.io/APIService',
]);

/** By kind and subresource, where it is not as everywhere. */
const OTHERS: Readonly<Record<string, FieldSet>> = {
  '/Pod/status': setOf([
    ['f:spec'],
    ['f:metadata', 'f:deletionTimestamp'],
    ['f:metadata', 'f:ownerReferences'],
  ]),
  'apps/Deployment/status': setOf([['f:spec'], ['f:metadata', 'f:labels']]),
  'certificates.k8s.io/CertificateSigningRequest/': setOf([['f:spec'], ['f:status']]),
  'certificates.k8s.io/CertificateSigningRequest/status': setOf([
    ['f:spec'],
    ['f:status', 'f:conditions'],
  ]),
  'certificates.k8s.io/CertificateSigningRequest/approval': setOf([
    ['f:spec'],
    ['f:status', 'f:certificate'],
  ]),
};

/** `subresource`: empty: the object itself. */
export function resetFieldsOf(
  definition: KindDefinition,
  subresource: string,
): FieldSet | undefined {
  const { group, kind, type, subresources = [] } = definition;
  const other = OTHERS[`${group}/${kind}/${subresource}`];
  if (other) return other;
  if (subresource !== 'status') {
    return subresources.some(({ name }) => name === 'status') ? STATUS : undefined;
  }
  return !type || KEEPS_METADATA.has(`${group}/${kind}`) ? SPEC_AND_METADATA : SPEC;
}
