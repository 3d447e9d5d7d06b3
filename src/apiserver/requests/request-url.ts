/**
 * Splits the URL of a request without resolving it: `/a/%2e%2e/b` stays unchanged, and so does `//`. A `URL`
 * has the same fields, but would resolve the path.
 */
export interface RequestUrl {
  /** With the port, if there is one. */
  readonly host: string;
  /** Unchanged, with its escapes. */
  readonly pathname: string;
  readonly searchParams: URLSearchParams;
}

export function readUrl(url: string): RequestUrl {
  const hostAt = url.indexOf('://') + 3;
  const pathAt = url.indexOf('/', hostAt);
  if (pathAt === -1) {
    return { host: url.slice(hostAt), pathname: '/', searchParams: new URLSearchParams() };
  }
  const queryAt = url.indexOf('?', pathAt);
  const pathEnd = queryAt === -1 ? url.length : queryAt;
  return {
    host: url.slice(hostAt, pathAt),
    pathname: url.slice(pathAt, pathEnd),
    searchParams: new URLSearchParams(url.slice(pathEnd)),
  };
}
