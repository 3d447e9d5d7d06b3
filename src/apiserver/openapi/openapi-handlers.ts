/**
 * Serves the OpenAPI documents, by which kubectl explains kinds, validates objects and finds merge
 * strategies.
 *
 *     /openapi/v3              the list of documents, with the hash of each
 *     /openapi/v3/apis/apps/v1 one document; with `?hash=` it may be cached forever
 *     /openapi/v2              everything in one document, for kubectl's validation of lists and for old clients
 *
 * A document is identified by the hash of its content. A request with an outdated hash is redirected to the
 * current one, and a client that already has the document gets 304.
 */
import type { ApiRequest, ApiResponse } from '../../ports/api/http-handler.ts';
import type { PathHandler } from '../requests/path-handler.ts';
import { NO_REMOTE_APIS, type RemoteApis } from '../objects/remote-apis.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import { Documents } from './documents.ts';
import { formOf, JSON_TYPE, protobufType } from './media-type.ts';
import type { OpenApiVersion } from './protobuf/encode.ts';
import { entityTagOf, type WrittenDocument } from './written-document.ts';

type Header = readonly [name: string, value: string];

const INDEX = '/openapi/v3';
const EVERYTHING = '/openapi/v2';
const VARY: Header = ['vary', 'Accept'];
const YEAR_MS = 365 * 24 * 60 * 60 * 1000;
/** The response may be cached, but must be revalidated each time. */
const ASK_AGAIN: Header = ['cache-control', 'no-cache, private'];
const KEEP: Header = ['cache-control', 'public, immutable'];
const NOT_ACCEPTABLE: ApiResponse = { status: 406, headers: [ASK_AGAIN, VARY], body: null };

export function openApiHandlers({
  catalog,
  clock,
  remoteApis = NO_REMOTE_APIS,
}: Pick<ServerParts, 'catalog' | 'clock'> & Partial<Pick<ServerParts, 'remoteApis'>>): PathHandler {
  const documents = new Documents(catalog);
  return (request, { pathname, searchParams }) => {
    if (pathname === INDEX) return answerIndex(request, documents, remoteApis);
    if (pathname === EVERYTHING) return answer(request, 'v2', documents.everything(), [ASK_AGAIN]);
    if (!pathname.startsWith(`${INDEX}/`)) return null;
    const name = pathname.slice(INDEX.length + 1);
    // Requests for documents of other servers that have one do not come here.
    const document = isRemote(name, remoteApis) ? undefined : documents.find(name);
    if (!document) return { status: 404, headers: [ASK_AGAIN], body: null };
    const hash = searchParams.get('hash') ?? '';
    if (hash === '') return answer(request, 'v3', document, [ASK_AGAIN]);
    if (hash !== document.tag) return redirect(request, name, document);
    const expires = new Date(clock.now() + YEAR_MS).toUTCString();
    return answer(request, 'v3', document, [KEEP, ['expires', expires]]);
  };
}

function answerIndex(
  request: ApiRequest,
  documents: Documents,
  remoteApis: RemoteApis,
): ApiResponse {
  const own = [...documents.all()]
    .filter(([name]) => !isRemote(name, remoteApis))
    .map(([name, document]) => [name, addressOf(name, document)] as const);
  const all = [...own, ...remoteApis.documents()];
  const paths = all.map(([name, serverRelativeURL]) => [name, { serverRelativeURL }] as const);
  const body = JSON.stringify({ paths: Object.fromEntries(paths) });
  return answerOnce(request, entityTagOf(body), [ASK_AGAIN, ['content-type', JSON_TYPE]], body);
}

/** Another server serves the version of this document. */
function isRemote(name: string, remoteApis: RemoteApis): boolean {
  const [root, group = '', version = ''] = name.split('/');
  return root === 'apis' && remoteApis.has(group, version);
}

function answer(
  request: ApiRequest,
  version: OpenApiVersion,
  document: WrittenDocument,
  caching: readonly Header[],
): ApiResponse {
  const form = formOf(request.headers.get('accept'), version);
  if (!form) return NOT_ACCEPTABLE;
  const type = form === 'json' ? JSON_TYPE : protobufType(version);
  const body = form === 'json' ? document.json : document.protobuf;
  return answerOnce(request, document.tag, [...caching, VARY, ['content-type', type]], body);
}

/** For a client whose hash is outdated. */
function redirect({ headers }: ApiRequest, name: string, document: WrittenDocument): ApiResponse {
  if (!formOf(headers.get('accept'), 'v3')) return NOT_ACCEPTABLE;
  const moved: Header = ['location', addressOf(name, document)];
  return { status: 301, headers: [ASK_AGAIN, VARY, etag(document.tag), moved], body: null };
}

/** A client that sends the current ETag gets 304. */
function answerOnce(
  { headers: asked }: ApiRequest,
  tag: string,
  headers: readonly Header[],
  body: string | Uint8Array,
): ApiResponse {
  const known = (asked.get('if-none-match') ?? '').split(',').map((one) => one.trim());
  const isKnown = known.some((one) => one === '*' || one.replace(/^W\//, '') === `"${tag}"`);
  const tagged = [...headers, etag(tag)];
  if (!isKnown) return { status: 200, headers: tagged, body };
  return { status: 304, headers: tagged.filter(([name]) => name !== 'content-type'), body: null };
}

function etag(tag: string): Header {
  return ['etag', `"${tag}"`];
}

function addressOf(name: string, document: WrittenDocument): string {
  return `${INDEX}/${name}?hash=${document.tag}`;
}
