/**
 * Serves discovery: lists the served kinds by group and version, or aggregated for clients that request it.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { ApiRequest, ApiResponse } from '../../ports/api/http-handler.ts';
import { AGGREGATED_TYPE, wantsAggregated } from '../registry/aggregated-discovery.ts';
import { API_SERVICES } from '../aggregation/api-service-store.ts';
import {
  aggregatedOf,
  apiGroupOf,
  groupListOf,
  mergeGroups,
  type ServedGroup,
} from '../aggregation/merged-discovery.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import { negotiate } from '../requests/negotiation.ts';
import type { PathHandler } from '../requests/path-handler.ts';
import { methodNotAllowed } from '../objects/status.ts';
import { printAnswer } from './printing.ts';

type ServedParts = Pick<ServerParts, 'catalog' | 'remoteApis' | 'store'>;

export class Discovery {
  readonly #parts: ServedParts;
  readonly #version: JsonObject;

  constructor(parts: ServedParts, version: JsonObject) {
    this.#parts = parts;
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
    const { catalog } = this.#parts;
    if (root === 'api') {
      if (version !== '') return undefined;
      return group ? catalog.apiResourceList('', group) : catalog.apiVersions(host);
    }
    if (root !== 'apis') return undefined;
    if (version !== '') return catalog.apiResourceList(group, version);
    const merged = this.#merged();
    if (group === '') return merged ? groupListOf(merged) : catalog.apiGroupList();
    const found = merged?.find((one) => one.group === group);
    return found ? apiGroupOf(found) : catalog.apiGroup(group);
  }

  /** Null: this server serves everything itself. */
  #merged(): readonly ServedGroup[] | null {
    const { catalog, remoteApis, store } = this.#parts;
    const remote = remoteApis.all();
    if (remote.length === 0) return null;
    const apiServices = store.list(API_SERVICES).objects.map(({ value }) => value);
    return mergeGroups(catalog.apiGroupList(), remote, apiServices);
  }

  /** Aggregated discovery has its own content type. */
  #aggregated({ headers }: ApiRequest, path: string): ApiResponse | null {
    const root = /^\/(apis?)\/?$/.exec(path)?.[1];
    if ((root !== 'api' && root !== 'apis') || !wantsAggregated(headers.get('accept'))) return null;
    const { catalog, remoteApis } = this.#parts;
    const merged = root === 'apis' ? this.#merged() : null;
    const own = catalog.aggregated(root);
    const body = JSON.stringify(merged ? aggregatedOf(own, merged, remoteApis) : own);
    const type = ['content-type', AGGREGATED_TYPE] as const;
    return { status: 200, headers: [type, ['vary', 'Accept']], body };
  }
}
