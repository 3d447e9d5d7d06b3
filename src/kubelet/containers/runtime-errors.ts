/** Error codes of container runtimes. */
import { PodkeepError } from '../../lib/errors.ts';

/** The runtime does not have the container or sandbox any more. */
export function isRuntimeNotFound(error: unknown): boolean {
  return error instanceof PodkeepError && error.code === 'RUNTIME_NOT_FOUND';
}
