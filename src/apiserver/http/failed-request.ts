/** The status of a request that failed, and its line in the log if the failure is the server's own. */
import { PodkeepError } from '../../lib/errors.ts';
import type { Log } from '../../ports/log.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { badRequest, internalError, StatusError } from '../objects/status.ts';

export function statusOfFailure(
  error: unknown,
  log: Log,
  trail: AuditTrail | undefined,
): StatusError {
  if (error instanceof StatusError) return error;
  // The client is gone, or was too slow: there is nothing to log, and no response to send.
  if (error instanceof PodkeepError && error.code === 'REQUEST_BROKEN_OFF') {
    return badRequest(error.message);
  }
  if (error instanceof PodkeepError && error.code === 'OBJECT_UNDECRYPTABLE') {
    log.error('failed to decrypt an object', { error });
    return internalError(error.message);
  }
  log.error('request failed with an unexpected error', { error });
  if (!(error instanceof PodkeepError)) trail?.panicked();
  const hint = error instanceof PodkeepError ? `${error.message} (${error.hint})` : 'see the log';
  return internalError(hint);
}
