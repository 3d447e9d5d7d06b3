/**
 * Lists all objects of a kind, in pages if that helps the server.
 *
 * With the resource version "0", kube-apiserver answers from its cache; with a later one, it answers with
 * data that is at least as new. It does not page either of these answers. Pages are read from etcd, and can
 * expire while they are read: in that case the whole list is requested at once.
 */
import { isJsonObject, type Json, type JsonObject } from '../lib/json.ts';
import { ApiError } from '../ports/api/api-client.ts';
import type { KubeApi } from '../ports/api/kube-api.ts';
import { apiAnswerBroken } from './client-errors.ts';
import { isExpired } from './watch-trouble.ts';

export interface ListRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** `0`: any version. Empty: the newest. Otherwise: not older than this. */
  readonly version: string;
}

export interface ListedObjects {
  readonly objects: readonly JsonObject[];
  readonly version: string;
}

const PAGE_SIZE = 500;

export async function listObjects(
  api: KubeApi,
  { path, query, version }: ListRequest,
  signal: AbortSignal,
): Promise<ListedObjects> {
  const limit = version === '' || version === '0' ? { limit: String(PAGE_SIZE) } : {};
  const asked = version === '' ? {} : { resourceVersion: version };
  const read = async (more: Readonly<Record<string, string>>): Promise<Page> =>
    readPage(await api.send({ method: 'GET', path, query: { ...query, ...more } }, signal), path);
  let page = await read({ ...asked, ...limit });
  const objects = [...page.objects];
  while (page.continue !== '') {
    try {
      page = await read({ limit: String(PAGE_SIZE), continue: page.continue });
    } catch (error) {
      if (!(error instanceof ApiError && isExpired(error))) throw error;
      return read({});
    }
    objects.push(...page.objects);
  }
  return { objects, version: page.version };
}

interface Page extends ListedObjects {
  /** Empty: this was the last page. */
  readonly continue: string;
}

function readPage(list: JsonObject, path: string): Page {
  const { metadata, items } = list;
  const { resourceVersion, continue: next } = isJsonObject(metadata) ? metadata : {};
  if (typeof resourceVersion !== 'string' || (!Array.isArray(items) && items !== null)) {
    throw apiAnswerBroken({ request: `GET ${path}`, problem: 'it is not a list' });
  }
  const objects: readonly Json[] = items ?? [];
  return {
    objects: objects.filter(isJsonObject).map((item) => withKind(item, list)),
    version: resourceVersion,
    continue: typeof next === 'string' ? next : '',
  };
}

/** Adds kind and apiVersion, which items of a list lack and objects of a watch have. */
function withKind(item: JsonObject, { kind, apiVersion }: JsonObject): JsonObject {
  const isNamed = 'kind' in item || typeof kind !== 'string' || typeof apiVersion !== 'string';
  return isNamed ? item : { kind: kind.replace(/List$/, ''), apiVersion, ...item };
}
