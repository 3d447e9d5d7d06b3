/**
 * The headers of a request to an aggregated API server.
 *
 * 1. The other server believes X-Remote- headers, because they come with the certificate of the front proxy.
 *    So no such header of a client is forwarded, in whatever spelling: some servers read `_` as `-`.
 * 2. No credential is forwarded: no Authorization, no Impersonate-, no bearer token among WebSocket
 *    protocols.
 * 3. Hop-by-hop headers, and the headers that `Connection` names, are removed. This happens before the
 *    headers that name the user are added, so that a client cannot have the latter removed.
 * 4. A name that a header cannot carry unchanged (control characters, space at an end) is refused: the other
 *    server would read another name.
 */
import type { ApiHeaders } from '../../ports/api/http-handler.ts';
import type { User } from '../objects/access.ts';

export type HeaderLine = readonly [name: string, value: string];

export interface Forwarded {
  readonly headers: ApiHeaders;
  readonly user: User;
  /** The address of the client; absent: it is in this process. */
  readonly address?: string | undefined;
  /** Of the request, as the client named it. */
  readonly host: string;
  readonly path: string;
  /** Of the audit; absent: the request is not audited. */
  readonly auditId?: string | undefined;
  readonly isUpgrade: boolean;
}

const DROPPED =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|http2-settings|host|content-length|expect|authorization|impersonate-.*|x[-_]remote[-_].*|x[-_]forwarded[-_].*|x[-_]http[-_]method.*|x[-_]method[-_]override)$/;
const PROTOCOLS = 'sec-websocket-protocol';
const BEARER_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const UNFIT = /[\u0000-\u001f\u007f]|^\s|\s$|^$/;
/** The characters of a token in HTTP, but for the percent sign, which escapes others. */
const TOKEN_BYTE = /[!#$&'*+\-.^_`|~0-9A-Za-z]/;

/** Throws an Error, with Go's sentence, if the user cannot be named in headers. */
export function forwardedHeaders(forwarded: Forwarded): readonly HeaderLine[] {
  const { headers, isUpgrade, auditId } = forwarded;
  const named = new Set(
    (headers.get('connection') ?? '').split(',').map((one) => one.trim().toLowerCase()),
  );
  const kept = [...headers]
    .map(([name, value]): HeaderLine => [name.toLowerCase(), value])
    .filter(([name]) => !DROPPED.test(name) && !named.has(name))
    .flatMap(withoutBearer);
  const protocol = headers.get('upgrade') ?? '';
  return [
    ...kept.filter(([name]) => auditId === undefined || name !== 'audit-id'),
    ...(isUpgrade
      ? ([
          ['connection', 'Upgrade'],
          ['upgrade', protocol],
        ] as const)
      : []),
    ...(auditId === undefined ? [] : ([['audit-id', auditId]] as const)),
    ...trace(forwarded),
    ...userHeaders(forwarded.user),
  ];
}

/** Throws an Error. Also for requests that this server makes by itself. */
export function userHeaders({ name, uid = '', groups, extra = {} }: User): readonly HeaderLine[] {
  return [
    line('X-Remote-User', name),
    ...(uid === '' ? [] : [line('X-Remote-Uid', uid)]),
    ...groups.map((group) => line('X-Remote-Group', group)),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => line(`X-Remote-Extra-${escapeKey(key)}`, value)),
    ),
  ];
}

/** Header values are bytes: those of UTF-8, as Go writes them. */
function line(name: string, value: string): HeaderLine {
  if (UNFIT.test(value)) throw new Error(`net/http: invalid header field value for "${name}"`);
  return [name.toLowerCase(), Buffer.from(value, 'utf8').toString('latin1')];
}

function escapeKey(key: string): string {
  return [...Buffer.from(key, 'utf8')]
    .map((byte) => [byte, String.fromCodePoint(byte)] as const)
    .map(([byte, char]) =>
      TOKEN_BYTE.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');
}

function withoutBearer([name, value]: HeaderLine): readonly HeaderLine[] {
  if (name !== PROTOCOLS) return [[name, value]];
  const kept = value
    .split(',')
    .map((one) => one.trim())
    .filter((one) => !one.startsWith(BEARER_PROTOCOL));
  return kept.length === 0 ? [] : [[name, kept.join(',')]];
}

function trace({ headers, address, host, path }: Forwarded): readonly HeaderLine[] {
  const before = headers.get('x-forwarded-for');
  const addresses = [...(before === null ? [] : [before]), ...(address ? [address] : [])];
  return [
    ...(addresses.length === 0 ? [] : ([['x-forwarded-for', addresses.join(', ')]] as const)),
    ['x-forwarded-uri', path],
    ['x-forwarded-host', host],
    ['x-forwarded-proto', 'https'],
  ];
}
