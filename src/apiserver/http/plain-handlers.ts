/** Answers for paths at which there is nothing. */
import type { ApiResponse } from '../../ports/api/http-handler.ts';
import type { Catalog } from '../registry/catalog.ts';
import { textResponse } from '../requests/path-handler.ts';
import type { ResourceRequest } from '../requests/request-info.ts';
import { resourceUnknown } from '../objects/status.ts';

/**
 * A resource that is missing from a served version is an error of the API; otherwise the path is not found.
 */
export function notServed({ group, version }: ResourceRequest, catalog: Catalog): ApiResponse {
  if (catalog.apiResourceList(group, version)) throw resourceUnknown();
  return pathNotFound();
}

export function pathNotFound(): ApiResponse {
  return textResponse(404, '404 page not found\n');
}
