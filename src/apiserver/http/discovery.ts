/**
 * Serves discovery: lists the served kinds by group and version, or aggregated for clients that request it.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { ApiRequest, ApiResponse } from '../../ports/api/http-handler.ts';
import { AGGREGATED_TYPE, wantsAggregated } from '../registry/aggregated-discovery.ts';
import type { Catalog } from '../registry/catalog.ts';
import { negotiate } from '../requests/negotiation.ts';
import type { PathHandler } from '../requests/path-handler.ts';
import { methodNotAllowed } from '../objects/status.ts';
import { printAnswer } from './printing.ts';

export class Discovery {
  readonly #catalog: Catalog;
  readonly #version: JsonObject;

  constructor(catalog: Catalog, version: JsonObject) {
    this.#catalog = catalog;
    this.#version = version;
  }

  readonly handler: PathHandler = (request, { pathname, host }) => {
    const found = this.#find(pathname, host);
    if (!found) return null;
    const { method, headers } = request;
    if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed();
    return (
      this.#aggregated(request, pathname) ??
      printAnswer(200, found, negotiate(headers.get('accept')))
    );
  };

  #find(path: string, host: string): JsonObject | undefined {
    const [root, group = '', version = '', ...rest] = path.replace(/\/$/, '').split('/').slice(1);
    if (rest.length > 0) return undefined;
    if (root === 'version') return group === '' ? this.#version : undefined;
    if (root === 'api') {
      if (version !== '') return undefined;
      return group ? this.#catalog.apiResourceList('', group) : this.#catalog.apiVersions(host);
    }
    if (root !== 'apis') return undefined;
    if (group === '') return this.#catalog.apiGroupList();
    if (version === '') return this.#catalog.apiGroup(group);
    return this.#catalog.apiResourceList(group, version);
  }

  /** Aggregated discovery has its own content type. */
  #aggregated({ headers }: ApiRequest, path: string): ApiResponse | null {
    const root = /^\/(apis?)\/?$/.exec(path)?.[1];
    if ((root !== 'api' && root !== 'apis') || !wantsAggregated(headers.get('accept'))) return null;
    const body = JSON.stringify(this.#catalog.aggregated(root));
    const type = ['content-type', AGGREGATED_TYPE] as const;
    return { status: 200, headers: [type, ['vary', 'Accept']], body };
  }
}
