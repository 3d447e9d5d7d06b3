/** How controllers delete: like any client, and without an error if the object is gone already. */
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

/** The namespace is terminating or gone, so nothing can be created in it: no failure of the controller. */
export function isNamespaceGoing(error: unknown): boolean {
  if (isMissing(error)) return true;
  if (!(error instanceof StatusError)) return false;
  return (error.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating');
}

export function isAlreadyThere(error: unknown): boolean {
  return error instanceof StatusError && error.reason === 'AlreadyExists';
}
