/**
 * Deletes objects on behalf of controllers: like any client, but without an error if the object no longer
 * exists.
 */
import type { DeleteOptions } from '../requests/options.ts';
import type { Registry, Target } from '../registry/registry.ts';
import { StatusError } from '../objects/status.ts';

export const PLAIN_DELETION: DeleteOptions = {
  dryRun: false,
  gracePeriodSeconds: null,
  propagation: null,
  uid: null,
  resourceVersion: null,
};

export async function removeIfThere(
  registry: Registry,
  target: Target,
  options: Partial<DeleteOptions>,
): Promise<void> {
  try {
    await registry.remove(target, { ...PLAIN_DELETION, ...options });
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof StatusError && error.code === 404;
}

/**
 * Whether a create failed because its namespace is terminating or gone, which is no failure of the
 * controller.
 */
export function isNamespaceGoing(error: unknown): boolean {
  if (isMissing(error)) return true;
  if (!(error instanceof StatusError)) return false;
  return (error.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating');
}

export function isAlreadyThere(error: unknown): boolean {
  return error instanceof StatusError && error.reason === 'AlreadyExists';
}
