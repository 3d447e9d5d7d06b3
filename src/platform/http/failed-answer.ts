/** For a handler that breaks its promise never to reject: the client hears of it, and nobody else suffers. */
import type { ApiResponse } from '../../ports/http-handler.ts';

export function failed(): ApiResponse {
  return { status: 500, headers: [], body: null };
}
