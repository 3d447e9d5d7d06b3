/** Builds answers of the query API: JSON that must not be cached, and failures as a Kubernetes Status. */
import { PodkeepError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ApiResponse } from '../../ports/api/http-handler.ts';

const HEADERS: readonly (readonly [string, string])[] = [
  ['content-type', 'application/json'],
  ['cache-control', 'no-store'],
  ['x-content-type-options', 'nosniff'],
];

/** HTTP status and reason by the code of the error. */
const STATUSES: ReadonlyMap<string, { readonly status: number; readonly reason: string }> = new Map(
  Object.entries({
    QUERY_INVALID: { status: 400, reason: 'BadRequest' },
    POD_UNKNOWN: { status: 404, reason: 'NotFound' },
    ALERTS_NOT_EVALUATED: { status: 404, reason: 'NotFound' },
    WATCHERS_EXHAUSTED: { status: 429, reason: 'TooManyRequests' },
  }),
);
const RETRY_AFTER_SECONDS = 5;

export function queryAnswer(object: JsonObject): ApiResponse {
  return { status: 200, headers: HEADERS, body: JSON.stringify(object) };
}

export function queryRefusal(status: number, reason: string, message: string): ApiResponse {
  const failure = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' };
  const body = JSON.stringify({ ...failure, message, reason, code: status });
  return { status, headers: HEADERS, body };
}

/** Rethrows errors that are not caused by the query. */
export function queryFailure(error: unknown): ApiResponse {
  const known = error instanceof PodkeepError ? STATUSES.get(error.code) : undefined;
  if (!known || !(error instanceof PodkeepError)) throw error;
  const { status, reason } = known;
  const refusal = queryRefusal(status, reason, `${error.message}. ${error.hint}`);
  if (status !== 429) return refusal;
  return { ...refusal, headers: [...HEADERS, ['retry-after', String(RETRY_AFTER_SECONDS)]] };
}
