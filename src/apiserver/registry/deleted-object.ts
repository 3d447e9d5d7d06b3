/**
 * Determines what a DELETE returns when the object has been deleted: a Status, or for some kinds the object
 * itself.
 */
import type { KindDefinition } from '../objects/kind.ts';

/** Kinds whose storage in kube-apiserver returns deleted objects. */
const RETURNED: ReadonlySet<string> = new Set([
  'namespaces',
  'persistentvolumeclaims',
  'persistentvolumes',
  'pods',
  'podtemplates',
  'resourcequotas',
  'serviceaccounts',
  'services',
  'csidrivers.storage.k8s.io',
  'csinodes.storage.k8s.io',
  'storageclasses.storage.k8s.io',
  'volumeattachments.storage.k8s.io',
  'volumeattributesclasses.storage.k8s.io',
  'deviceclasses.resource.k8s.io',
  'devicetaintrules.resource.k8s.io',
  'resourceclaims.resource.k8s.io',
  'resourceclaimtemplates.resource.k8s.io',
  'resourceslices.resource.k8s.io',
]);

export function returnsDeletedObject({ group, resource }: KindDefinition): boolean {
  return RETURNED.has(group === '' ? resource : `${resource}.${group}`);
}
