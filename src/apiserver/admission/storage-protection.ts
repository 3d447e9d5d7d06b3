/**
 * StorageObjectInUseProtection: new storage gets a finalizer, which a controller removes once it is deleted
 * and unused. For servers with that controller inside, or beside them.
 */
import { withProtection } from '../kinds/storage/protection.ts';
import type { Admission } from '../registry/admission.ts';

export const storageProtection: Admission = {
  admit({ verb, definition, subresource, object }) {
    const isNew = verb === 'create' && subresource === null;
    return isNew ? withProtection(object, definition) : object;
  },
};
