/**
 * Determines the metric labels of a request as kube-apiserver does: LIST, WATCH, APPLY and CONNECT are verbs.
 */
import type { ApiRequest } from '../../ports/api/http-handler.ts';
import type { Catalog } from '../registry/catalog.ts';
import { readResourcePath, type ResourceRequest } from '../requests/request-info.ts';

export interface RequestLabels {
  readonly where: {
    readonly verb: string;
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    readonly subresource: string;
    readonly scope: string;
    readonly component: string;
  };
  readonly dryRun: string;
}

const CONNECTS: ReadonlySet<string> = new Set(['log', 'exec', 'portforward', 'attach', 'proxy']);
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
const APPLY_PATCH = 'application/apply-patch+yaml';
const COMPONENT = 'apiserver';
const NO_QUERY = new URLSearchParams();

export function labelsOfRequest(request: ApiRequest, catalog: Catalog): RequestLabels {
  const { pathname, search } = splitUrl(request.url);
  const path = tryRead(pathname);
  const definition = path && catalog.find(path.group, path.version, path.resource);
  const query = search === '' ? NO_QUERY : new URLSearchParams(search);
  const dryRun = dryRunOf(query);
  if (!path || !definition) {
    const verb = verbOfMethod(request, '');
    const none = { group: '', version: '', resource: '', subresource: '', scope: '' };
    return { where: { verb, ...none, component: COMPONENT }, dryRun };
  }
  const { group, version, resource } = path;
  const known = definition.subresources?.some(({ name }) => name === path.subresource);
  const isStatusPart = path.subresource === 'status';
  const subresource = known || isStatusPart ? (path.subresource ?? '') : '';
  const scope = scopeOf(path, request.method);
  const verb = CONNECTS.has(subresource)
    ? 'CONNECT'
    : isWatch(path, request.method, query)
      ? 'WATCH'
      : verbOfMethod(request, scope);
  const where = { verb, group, version, resource, subresource, scope, component: COMPONENT };
  return { where, dryRun };
}

function scopeOf({ name, namespace }: ResourceRequest, method: string): string {
  if (name !== null || method === 'POST') return 'resource';
  return namespace === null ? 'cluster' : 'namespace';
}

function verbOfMethod({ method, headers }: ApiRequest, scope: string): string {
  if (method === 'GET' || method === 'HEAD') {
    return scope !== 'resource' && scope !== '' ? 'LIST' : 'GET';
  }
  if (method === 'PATCH' && headers.get('content-type') === APPLY_PATCH) return 'APPLY';
  return METHODS.has(method) ? method : 'other';
}

function isWatch(path: ResourceRequest, method: string, query: URLSearchParams): boolean {
  if (method !== 'GET') return false;
  const wanted = query.get('watch');
  return path.isWatch === true || wanted === '1' || wanted === 'true';
}

function dryRunOf(query: URLSearchParams): string {
  const given = query.getAll('dryRun');
  if (given.length === 0) return '';
  return given.every((one) => one === 'All') ? 'All' : 'invalid';
}

/** Without a URL object, because this runs for every request. */
function splitUrl(url: string): { readonly pathname: string; readonly search: string } {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  const mark = url.indexOf('?');
  if (start < 0) return { pathname: '/', search: '' };
  if (mark < 0) return { pathname: url.slice(start), search: '' };
  return { pathname: url.slice(start, mark), search: url.slice(mark + 1) };
}

/** Null: the path is not that of a resource, or is invalid and refused elsewhere. */
function tryRead(pathname: string): ResourceRequest | null {
  try {
    return readResourcePath(pathname);
  } catch {
    return null;
  }
}
