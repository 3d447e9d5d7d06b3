/**
 * Admission plugin StorageObjectInUseProtection: adds a finalizer to new storage objects, which a controller
 * removes once the object is deleted and no longer in use. For servers with that controller, in the same
 * process or in a kube-controller-manager.
 */
import { withProtection } from '../kinds/storage/protection.ts';
import type { Admission } from '../registry/admission.ts';

export const storageProtection: Admission = {
  admit({ verb, definition, subresource, object }) {
    const isNew = verb === 'create' && subresource === null;
    return isNew ? withProtection(object, definition) : object;
  },
};
