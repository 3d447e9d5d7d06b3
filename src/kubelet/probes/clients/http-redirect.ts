/**
 * Decides where a redirect leads, by the rules of Go's client. Null: a probe does not follow it, so the
 * response itself counts.
 */
import { goQuote } from '../../containers/config/go-text.ts';
import { bracketed } from '../probe-address.ts';
import type { HttpAnswer } from './http-exchange.ts';
import type { HttpProbeRequest } from './http-request.ts';

export type Redirect =
  | { readonly type: 'follow'; readonly request: HttpProbeRequest; readonly location: string }
  | { readonly type: 'broken'; readonly message: string };

const FOLLOWED: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function redirectOf(
  first: HttpProbeRequest,
  last: HttpProbeRequest,
  { status, location }: Pick<HttpAnswer, 'status' | 'location'>,
): Redirect | null {
  if (!FOLLOWED.has(status) || !location) return null;
  const base = `${last.scheme}://${bracketed(last.host) || 'localhost'}:${last.port}${last.target}`;
  if (!URL.canParse(location, base)) {
    const message = `failed to parse Location header ${goQuote(location)}`;
    return { type: 'broken', message };
  }
  const url = new URL(location, base);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (host !== (first.host || 'localhost').toLowerCase()) return null;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    const message = `unsupported protocol scheme ${goQuote(url.protocol.slice(0, -1))}`;
    return { type: 'broken', message };
  }
  return { type: 'follow', request: follow(last, url, location), location };
}

function follow(last: HttpProbeRequest, url: URL, location: string): HttpProbeRequest {
  const scheme = url.protocol === 'https:' ? 'https' : 'http';
  const port = Number(url.port) || (scheme === 'https' ? 443 : 80);
  // A Host header for the first address does not apply to an absolute URL.
  const isAbsolute = /^[a-z][a-z0-9+.-]*:/i.test(location);
  const headers = new Map(last.headers);
  const isDowngrade = last.scheme === 'https' && scheme === 'http';
  if (!isDowngrade) headers.set('referer', [last.url.replace(/#.*$/s, '')]);
  return {
    scheme,
    host: last.host,
    port,
    target: url.pathname + url.search,
    url: url.href,
    headers,
    hostHeader: isAbsolute ? null : last.hostHeader,
  };
}
