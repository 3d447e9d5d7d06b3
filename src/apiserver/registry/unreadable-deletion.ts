/**
 * Deletes an object that cannot be decrypted, because its encryption key is lost.
 *
 * The content of such an object is unknown, so no finalizer, owner or precondition can be respected. So it is
 * deleted only if the client sets the delete option `ignoreStoreReadErrorWithClusterBreakingPotential` and is
 * a member of system:masters. kube-apiserver has the same option behind a feature gate, for users with a
 * separate verb. For a readable object the option changes nothing.
 */
import { PodkeepError } from '../../lib/errors.ts';
import type { User } from '../objects/access.ts';
import { isMaster } from '../objects/groups.ts';
import type { Deletion } from './deletion.ts';
import type { DeleteOptions } from '../requests/options.ts';
import type { Target } from './registry.ts';
import { forbidden } from '../objects/status.ts';

/** Throws the read error, unless the client may delete the object nevertheless. */
export function checkUnreadableDeletion(
  error: unknown,
  { definition, name }: Target,
  { ignoresReadError = false }: DeleteOptions,
  user: User,
): void {
  const isUnreadable = error instanceof PodkeepError && error.code === 'OBJECT_UNDECRYPTABLE';
  if (!isUnreadable || !ignoresReadError) throw error;
  if (isMaster(user)) return;
  throw forbidden(
    definition,
    name,
    'only members of system:masters may delete an object that cannot be read',
  );
}

export function deletionOfUnreadable({ namespace, name }: Target): Deletion {
  const object = { metadata: { name, ...(namespace !== '' && { namespace }) } };
  return { object, isGone: true, isGraceful: false };
}
