/**
 * Reads API objects for `podkeep explain`. Missing and forbidden objects are results, not errors: the
 * explanation continues without them.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { ApiError } from '../../../ports/api/api-client.ts';

/** One GET; throws ApiError. */
export type Ask = (target: string, accept?: string) => Promise<JsonObject>;

export type Read =
  | { readonly object: JsonObject }
  | { readonly object: null; readonly status: number; readonly message: string };

export async function read(ask: Ask, target: string, accept?: string): Promise<Read> {
  try {
    return { object: await ask(target, accept) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { object: null, status: error.statusCode, message: error.message };
  }
}

export const NOT_FOUND = 404;

/** The items of a list. Empty: the list cannot be read. */
export async function readList(ask: Ask, target: string): Promise<readonly JsonObject[]> {
  const { object } = await read(ask, target);
  const items = object?.['items'];
  return Array.isArray(items) ? (items as readonly JsonObject[]) : [];
}

export function pathIn(namespace: string, plural: string, name: string): string {
  const inside = `/api/v1/namespaces/${encodeURIComponent(namespace)}/${plural}`;
  return `${inside}/${encodeURIComponent(name)}`;
}

/** The request for Events about one object, with field selectors that every API server supports. */
export function eventsTarget(namespace: string, kind: string, name: string): string {
  const selector = `involvedObject.kind=${kind},involvedObject.name=${name}`;
  const query = new URLSearchParams({ fieldSelector: selector, limit: '500' }).toString();
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/events?${query}`;
}
