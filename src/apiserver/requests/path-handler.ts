import type { ApiRequest, ApiResponse } from '../../ports/api/http-handler.ts';
import type { RequestUrl } from './request-url.ts';

/**
 * Handles a path that is not a resource: health, version, OpenAPI. Null: the handler does not serve the path.
 */
export type PathHandler = (
  request: ApiRequest,
  url: RequestUrl,
) => ApiResponse | Promise<ApiResponse> | null;

export function textResponse(code: number, body: string): ApiResponse {
  return { status: code, headers: [['content-type', 'text/plain; charset=utf-8']], body };
}
