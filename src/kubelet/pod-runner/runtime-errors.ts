/** What runtimes say in their error codes. */
import { PodkeepError } from '../../lib/errors.ts';

/** It is gone already. */
export function isNotFound(error: unknown): boolean {
  return error instanceof PodkeepError && error.code === 'RUNTIME_NOT_FOUND';
}
