import type { ApiRequest, ApiResponse } from '../ports/http-handler.ts';
import type { RequestUrl } from './request-url.ts';

/** A path of the server that is no resource: health, the version, OpenAPI. Null: it is another's. */
export type Page = (
  request: ApiRequest,
  url: RequestUrl,
) => ApiResponse | Promise<ApiResponse> | null;

export function textPage(code: number, body: string): ApiResponse {
  return { status: code, headers: [['content-type', 'text/plain; charset=utf-8']], body };
}
