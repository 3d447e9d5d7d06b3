/**
 * The answer if a handler rejects, which is a bug: its client gets an error, and other clients are not
 * affected.
 */
import type { ApiResponse } from '../../ports/api/http-handler.ts';

export function failed(): ApiResponse {
  return { status: 500, headers: [], body: null };
}
