/**
 * The paths that go on to an aggregated API server.
 *
 *     /apis/GROUP/VERSION             its discovery; all users may read it
 *     /apis/GROUP/VERSION/…           its resources; the user is authorized for the path as it is read here
 *     /openapi/v3/apis/GROUP/VERSION  its OpenAPI document
 *
 * The authorizer must have read the path as the other server will. Many servers resolve `..` and `//`, so a
 * path with either could mean another namespace there than here: it is refused. For the same reason a request
 * counts as a watch with every value of `watch` that Kubernetes reads as true.
 */
import type { ResourceRequest } from '../requests/request-info.ts';
import type { RequestUrl } from '../requests/request-url.ts';
import type { RemoteVersion } from '../objects/remote-apis.ts';
import { badRequest } from '../objects/status.ts';

const DOCUMENTS = '/openapi/v3';

export interface RemotePath extends RemoteVersion {
  readonly isDocument: boolean;
  /** There is nothing behind the version. */
  readonly isRoot: boolean;
}

/** Null: it is no path of a version of a named group. */
export function readRemotePath(pathname: string): RemotePath | null {
  const isDocument = pathname.startsWith(`${DOCUMENTS}/apis/`);
  const path = isDocument ? pathname.slice(DOCUMENTS.length) : pathname;
  if (!path.startsWith('/apis/')) return null;
  const [group = '', version = '', ...rest] = path.split('/').slice(2);
  if (group === '' || version === '') return null;
  const isRoot = rest.length === 0 || (rest.length === 1 && rest[0] === '');
  return { group: decode(group), version: decode(version), isDocument, isRoot };
}

/** Throws a StatusError (400) if the other server may read the path in another way. */
export function checkRemotePath(pathname: string, path: ResourceRequest | null): void {
  const words = pathname.split('/').slice(1);
  const last = words.length - 1;
  const behind = path?.beneath?.split('/').slice(1).length ?? 0;
  for (const [index, word] of words.entries()) {
    const text = decode(word);
    const isBeneath = index > last - behind;
    // Without the slash at its end, the name of a collection would not be that of an object.
    const isEmpty = text === '' && !isBeneath && (path !== null || index !== last);
    const hasSteps = text.split(/[/\\]/).some((one) => one === '.' || one === '..');
    // Another server may compare decoded words with `watch` or `namespaces`, which are compared as they are here.
    const isEscaped = !isBeneath && text !== word;
    if (isEmpty || hasSteps || isEscaped || isUndecodable(word)) {
      throw badRequest(`the path ${JSON.stringify(pathname)} is ambiguous`);
    }
  }
}

/** As Kubernetes reads flags in queries: anything that is no clear no is a yes. */
export function asksForWatch(
  method: string,
  path: ResourceRequest,
  { searchParams }: Pick<RequestUrl, 'searchParams'>,
): boolean {
  if ((method !== 'GET' && method !== 'HEAD') || path.name !== null) return false;
  return searchParams.getAll('watch').some((one) => one !== '0' && one.toLowerCase() !== 'false');
}

function isUndecodable(word: string): boolean {
  try {
    decodeURIComponent(word);
    return false;
  } catch {
    return true;
  }
}

function decode(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}
