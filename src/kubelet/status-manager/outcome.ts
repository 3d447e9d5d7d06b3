/** Converts the error of an API request to an outcome for the state machine of status writes. */
import type { Outcome } from '../../core/status-write/status-write.ts';
import { ApiError } from '../../ports/api/api-client.ts';

export const DONE: Outcome = { type: 'done' };

export function writeOutcomeOf(error: unknown): Outcome {
  if (!(error instanceof ApiError)) return { type: 'failed', retryAfterMs: null };
  const { statusCode, causes, retryAfterMs } = error;
  if (statusCode === 404) return { type: 'notFound' };
  // kube-apiserver answers a patch with a foreign UID as an attempt to change the UID (SM-74).
  const isUidRefused = statusCode === 422 && causes.some(({ field }) => field === 'metadata.uid');
  if (statusCode === 409 || isUidRefused) return { type: 'conflict' };
  return { type: 'failed', retryAfterMs };
}
