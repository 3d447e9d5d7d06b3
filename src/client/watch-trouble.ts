/**
 * What to do when a watch fails: begin again where it broke off, or read everything anew.
 *
 * A broken connection and a server that is too busy do not take our place in the history from us. A
 * server that forgot it, or never knew it, does.
 */
import { unreachable } from '../lib/assert.ts';
import { defineError, PodkeepError } from '../lib/errors.ts';
import { ApiError } from '../ports/api-client.ts';

export type Remedy =
  | 'goOn' // from where we were
  | 'listAgain' // nothing older than what we know
  | 'listNewest'; // whatever there is now: the server does not know our version at all

const WATCH_TOO_SHORT = 'WATCH_TOO_SHORT';

export const watchTooShort = defineError<{ path: string }>({
  code: WATCH_TOO_SHORT,
  retry: 'backoff',
  message: ({ path }) => `the watch of ${path} ended at once, without a word`,
  hint: () =>
    'It is opened again by itself. If this lasts, look for a proxy that cuts long answers.',
});

/** `stage` is what failed. */
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

/** The server's history does not go back that far any more. */
export function isExpired({ statusCode, reason }: ApiError): boolean {
  return statusCode === 410 || reason === 'Expired' || reason === 'Gone';
}

/** The version is one that the server has not reached, as after a restore from an old copy. */
function isUnknownVersion({ causes }: ApiError): boolean {
  return causes.some(({ reason }) => reason === 'ResourceVersionTooLarge');
}
