/** The 404 responses for paths that the server does not serve. */
import type { ApiResponse } from '../../ports/api/http-handler.ts';
import type { Catalog } from '../registry/catalog.ts';
import { textResponse } from '../requests/path-handler.ts';
import type { ResourceRequest } from '../requests/request-info.ts';
import { resourceUnknown } from '../objects/status.ts';

/**
 * For an unknown resource in a served version the response is a Status; for any other path it is a plain 404.
 */
export function notServed({ group, version }: ResourceRequest, catalog: Catalog): ApiResponse {
  if (catalog.apiResourceList(group, version)) throw resourceUnknown();
  return pathNotFound();
}

export function pathNotFound(): ApiResponse {
  return textResponse(404, '404 page not found\n');
}
