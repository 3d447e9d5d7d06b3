/**
 * Whether a request names this server as its host.
 *
 * A web page can let its own name resolve to the address of this node (DNS rebinding); the browser then
 * sends the page's requests here, with the certificate of the user if there is one. The name of the page is
 * in the Host header, so a host that is not ours is refused. An IP address is no name that a page could
 * have taken.
 */
import { isIP } from 'node:net';
import type { ApiRequest, ClientIdentity } from '../../ports/api/http-handler.ts';

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', 'localhost.localdomain']);

/** Null: the host is ours, or the client is in this process. Otherwise the host. */
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

/** Without the port. */
function hostIn(url: string): string {
  const [, authority = ''] = /^[a-z]+:\/\/([^/?#]*)/.exec(url) ?? [];
  return normalize(authority.replace(/:\d*$/, ''));
}

function normalize(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
