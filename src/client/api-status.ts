/**
 * Converts an error response of the API server to an ApiError.
 *
 * The body is a metav1.Status, unless a proxy or a load balancer in front of the server answered. In that
 * case only the HTTP status code is known.
 */
import { isJsonObject, type Json, type JsonObject } from '../lib/json.ts';
import { ApiError, type StatusCause } from '../ports/api/api-client.ts';
import type { WireResponse } from './transport/transport.ts';

/** Kubernetes' reasons for HTTP status codes. */
const REASONS: ReadonlyMap<number, string> = new Map([
  [400, 'BadRequest'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [405, 'MethodNotAllowed'],
  [406, 'NotAcceptable'],
  [409, 'Conflict'],
  [410, 'Gone'],
  [413, 'RequestEntityTooLarge'],
  [415, 'UnsupportedMediaType'],
  [422, 'Invalid'],
  [429, 'TooManyRequests'],
  [500, 'InternalError'],
  [503, 'ServiceUnavailable'],
  [504, 'Timeout'],
]);

const QUOTED_CHARS_MAX = 200;

/** `nowMs` is wall-clock time, because a proxy may write Retry-After as a date. */
export function refusalOf(
  { status, header }: WireResponse,
  text: string,
  request: string,
  nowMs: number,
): ApiError {
  const given = readStatus(text);
  const retryAfterMs = readRetryAfter(header('retry-after'), nowMs);
  if (given) return statusToError(given, status, retryAfterMs);
  const quoted = text.trim().slice(0, QUOTED_CHARS_MAX);
  return new ApiError({
    statusCode: status,
    reason: REASONS.get(status) ?? 'Unknown',
    message: `${request} was answered with ${status}${quoted === '' ? '' : `: ${quoted}`}`,
    retryAfterMs,
  });
}

/** `fallbackCode`: used if the Status has no code. */
export function statusToError(
  status: JsonObject,
  fallbackCode: number,
  retryAfterMs: number | null = null,
): ApiError {
  const details = isJsonObject(status['details']) ? status['details'] : {};
  const code = status['code'];
  const statusCode = typeof code === 'number' && code > 0 ? code : fallbackCode;
  const seconds = details['retryAfterSeconds'];
  return new ApiError({
    statusCode,
    reason: readText(status['reason']) ?? REASONS.get(statusCode) ?? 'Unknown',
    message: readText(status['message']) ?? `the API server answered with ${statusCode}`,
    causes: readCauses(details['causes']),
    retryAfterMs:
      retryAfterMs ?? (typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : null),
  });
}

function readStatus(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && value['kind'] === 'Status' ? value : null;
  } catch {
    return null; // a proxy that does not speak JSON: the HTTP status code has to do
  }
}

function readCauses(value: Json | undefined): readonly StatusCause[] {
  if (!Array.isArray(value)) return [];
  const list: readonly Json[] = value;
  return list.filter(isJsonObject).map((cause) => {
    const [field, reason, message] = [cause['field'], cause['reason'], cause['message']];
    return {
      ...(typeof field === 'string' && { field }),
      ...(typeof reason === 'string' && { reason }),
      ...(typeof message === 'string' && { message }),
    };
  });
}

/** Parses seconds or an HTTP date. */
function readRetryAfter(header: string | null, nowMs: number): number | null {
  if (header === null || header === '') return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? null : Math.max(atMs - nowMs, 0);
}

function readText(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
