/** For a handler that rejects although it must not: its client gets an error, and no other is affected. */
import type { ApiResponse } from '../../ports/api/http-handler.ts';

export function failed(): ApiResponse {
  return { status: 500, headers: [], body: null };
}
