/**
 * Storage that somebody uses does not go: what is created gets a finalizer, which a controller takes
 * away when nobody uses it any more. For servers with that controller inside, or beside them.
 */
import { withProtection } from '../controllers/storage-protection/protection.ts';
import type { Admission } from './admission.ts';

export const storageProtection: Admission = {
  admit({ verb, definition, subresource, object }) {
    const isNew = verb === 'create' && subresource === null;
    return isNew ? withProtection(object, definition) : object;
  },
};
