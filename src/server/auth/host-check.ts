/**
 * Checks that the Host header of a request names this server, against DNS rebinding.
 *
 * A web page can make its own name resolve to the address of this node. A browser then sends the page's
 * requests here, with the user's client certificate if there is one. Such a request has the name of the page
 * in its Host header, so foreign names are refused. IP addresses are accepted, because a page cannot have one
 * as its name.
 */
import { isIP } from 'node:net';
import type { ApiRequest, ClientIdentity } from '../../ports/api/http-handler.ts';

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', 'localhost.localdomain']);

/** Returns the host if it is foreign. Null: it names this server, or the client is in this process. */
export function foreignHostOf(
  { url }: Pick<ApiRequest, 'url'>,
  { user }: ClientIdentity,
  ownNames: readonly string[],
): string | null {
  if (user) return null;
  const host = hostIn(url);
  const plain = host.startsWith('[') ? host.slice(1, -1) : host;
  if (isIP(plain) !== 0 || LOOPBACK_NAMES.has(host)) return null;
  return ownNames.some((name) => normalize(name) === host) ? null : host;
}

/** The host without the port. */
function hostIn(url: string): string {
  const [, authority = ''] = /^[a-z]+:\/\/([^/?#]*)/.exec(url) ?? [];
  return normalize(authority.replace(/:\d*$/, ''));
}

function normalize(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
