/**
 * Builds the request of an httpGet probe as Kubernetes' kubelet does: any header may be replaced, an empty
 * Accept is omitted, and Host changes only the header, not the address.
 */
import type { Container } from '../../../api/pod.ts';
import type { HttpGetAction } from '../../../api/run-spec.ts';
import { addressText, portNumber } from '../probe-address.ts';

export interface HttpProbeRequest {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
  /** Path and query; the sender adds the leading slash if it is missing. */
  readonly target: string;
  /** For messages. */
  readonly url: string;
  /** By lower-case name, without Host. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** The Host header, if it is not the address. */
  readonly hostHeader: string | null;
}

const USER_AGENT = 'kube-probe/1.36';

/** Characters that must be escaped in a path; `%` is handled before. */
const NOT_IN_PATH = /[^A-Za-z0-9\-._~!$&'()*+,;=:@[\]/%]/gu;
const NOT_IN_QUERY = /[^\u0021-\u007e]/gu;
const BROKEN_ESCAPE = /%(?![0-9A-Fa-f]{2})/g;

export function httpProbeRequest(
  action: HttpGetAction,
  container: Container,
  podIP: string,
): HttpProbeRequest {
  const scheme = action.scheme?.toLowerCase() === 'https' ? 'https' : 'http';
  const host = action.host || podIP;
  const port = portNumber(action.port, container);
  const { target, fragment } = readPath(action.path ?? '');
  const url = `${scheme}://${addressText({ host, port })}${target}${fragment}`;
  const headers = collectHeaders(action.httpHeaders ?? []);
  const [hostHeader = ''] = headers.get('host') ?? [];
  headers.delete('host');
  return { scheme, host, port, target, url, headers, hostHeader: hostHeader || null };
}

/** The path may have a query and a fragment, or be a whole URL, whose host is ignored. */
function readPath(text: string): { readonly target: string; readonly fragment: string } {
  const [, authority = '', rest = ''] =
    /^((?:[a-z][a-z0-9+.-]*:)?\/\/[^/?#]+)?(.*)$/is.exec(text) ?? [];
  const [, path = '', query = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(rest) ?? [];
  // An invalid escape makes all of it a path, question mark included.
  if (path.search(BROKEN_ESCAPE) >= 0) {
    const whole = (authority + rest).replace(BROKEN_ESCAPE, '%25');
    return { target: rooted(whole.replace(NOT_IN_PATH, escape)), fragment: '' };
  }
  return {
    target: rooted(path.replace(NOT_IN_PATH, escape)) + query.replace(NOT_IN_QUERY, escape),
    fragment: fragment.replace(NOT_IN_QUERY, escape),
  };
}

function rooted(path: string): string {
  return path === '' || path.startsWith('/') ? path : `/${path}`;
}

/** Byte by byte: half a surrogate pair has no UTF-8 form, and becomes U+FFFD. */
function escape(character: string): string {
  return [...new TextEncoder().encode(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}

function collectHeaders(
  listed: readonly { readonly name: string; readonly value?: string }[],
): Map<string, readonly string[]> {
  const headers = new Map<string, readonly string[]>();
  for (const { name, value = '' } of listed) {
    const key = name.toLowerCase();
    headers.set(key, [...(headers.get(key) ?? []), value]);
  }
  if (!headers.has('user-agent')) headers.set('user-agent', [USER_AGENT]);
  if (!headers.has('accept')) headers.set('accept', ['*/*']);
  for (const key of ['user-agent', 'accept']) {
    if (headers.get(key)?.[0] === '') headers.delete(key);
  }
  return headers;
}
