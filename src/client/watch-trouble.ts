/**
 * Decides what an informer does when a watch fails: resume it from the last resource version, or list again.
 *
 * After a broken connection or an answer of a busy server, the resource version is still valid. It is not
 * valid if it has expired, or if the server never had it.
 */
import { unreachable } from '../lib/assert.ts';
import { defineError, PodkeepError } from '../lib/errors.ts';
import { ApiError } from '../ports/api/api-client.ts';

export type Remedy =
  | 'goOn' // from our version
  | 'listAgain' // nothing older than what we know
  | 'listNewest'; // the newest state: the server does not know our version

const WATCH_TOO_SHORT = 'WATCH_TOO_SHORT';

export const watchTooShort = defineError<{ path: string }>({
  code: WATCH_TOO_SHORT,
  retry: 'backoff',
  message: ({ path }) => `the watch of ${path} ended immediately, without an event`,
  hint: () =>
    'Podkeep reopens it automatically. If this persists, look for a proxy that cuts long answers.',
});

/** `stage`: the request that failed. */
export function remedyFor(error: unknown, stage: 'list' | 'watch'): Remedy {
  if (error instanceof PodkeepError && error.code === WATCH_TOO_SHORT) return 'listAgain';
  if (!(error instanceof ApiError)) return 'goOn';
  if (isUnknownVersion(error)) return 'listNewest';
  switch (stage) {
    case 'list':
      return isExpired(error) ? 'listNewest' : 'goOn';
    case 'watch':
      return error.statusCode === 429 || error.statusCode >= 500 ? 'goOn' : 'listAgain';
    default:
      return unreachable(stage);
  }
}

/** The resource version has expired: the server's history does not go back that far. */
export function isExpired({ statusCode, reason }: ApiError): boolean {
  return statusCode === 410 || reason === 'Expired' || reason === 'Gone';
}

/** The server has not reached the resource version, for example after a restore from a backup. */
function isUnknownVersion({ causes }: ApiError): boolean {
  return causes.some(({ reason }) => reason === 'ResourceVersionTooLarge');
}
