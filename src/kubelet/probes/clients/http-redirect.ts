/**
 * Where a redirect leads (as Go's client follows them). Null: nowhere that a probe would go, so the
 * answer itself is judged.
 */
import { goQuote } from '../../pod-runner/go-text.ts';
import { bracketed } from '../probe-address.ts';
import type { HttpAnswer } from './http-exchange.ts';
import type { HttpProbeRequest } from './http-request.ts';

export type Redirect =
  | { readonly type: 'follow'; readonly request: HttpProbeRequest; readonly location: string }
  | { readonly type: 'broken'; readonly words: string };

const FOLLOWED: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function redirectOf(
  first: HttpProbeRequest,
  last: HttpProbeRequest,
  { status, location }: Pick<HttpAnswer, 'status' | 'location'>,
): Redirect | null {
  if (!FOLLOWED.has(status) || !location) return null;
  const base = `${last.scheme}://${bracketed(last.host) || 'localhost'}:${last.port}${last.target}`;
  if (!URL.canParse(location, base)) {
    const words = `failed to parse Location header ${goQuote(location)}`;
    return { type: 'broken', words };
  }
  const url = new URL(location, base);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (host !== (first.host || 'localhost').toLowerCase()) return null;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    const words = `unsupported protocol scheme ${goQuote(url.protocol.slice(0, -1))}`;
    return { type: 'broken', words };
  }
  return { type: 'follow', request: follow(last, url, location), location };
}

function follow(last: HttpProbeRequest, url: URL, location: string): HttpProbeRequest {
  const scheme = url.protocol === 'https:' ? 'https' : 'http';
  const port = Number(url.port) || (scheme === 'https' ? 443 : 80);
  // A name that was given for the first address means nothing to one that is spelled out.
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
