/**
 * Lists the fields that a write does not change because the server resets them to the stored value: a write
 * to the object resets its status, and a write to its status resets everything else. These fields get no
 * manager.
 */
import { setOf, type FieldSet } from '../../api/managed-fields/field-set.ts';
import type { KindDefinition } from './kind.ts';

const STATUS = setOf([['f:status']]);
const SPEC = setOf([['f:spec']]);
const SPEC_AND_METADATA = setOf([['f:spec'], ['f:metadata']]);

/** Kinds whose status subresource resets metadata, too. */
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

/** Exceptions, by kind and subresource. */
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
