/** How controllers delete: as anybody else would, and content if somebody was faster. */
import type { DeleteOptions } from '../options.ts';
import type { Registry, Target } from '../registry.ts';
import { StatusError } from '../status.ts';

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

/** Nothing new comes into a namespace that is going, or gone: that is no failure of ours. */
export function isNamespaceGoing(error: unknown): boolean {
  if (isMissing(error)) return true;
  if (!(error instanceof StatusError)) return false;
  return (error.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating');
}

export function isAlreadyThere(error: unknown): boolean {
  return error instanceof StatusError && error.reason === 'AlreadyExists';
}
