/**
 * Parses the path of a request once, so that the authorized path is the served path.
 *
 * The path is decoded as a whole, as in Go. A path with empty or dotted parts is redirected to its clean
 * form, so that each handler has only one path.
 */
export interface RequestPath {
  /** Decoded; begins with a slash. */
  readonly path: string;
  readonly query: URLSearchParams;
}

export type PathReading =
  | ({ readonly type: 'path' } & RequestPath)
  | { readonly type: 'moved'; readonly location: string }
  | { readonly type: 'broken' };

/** `url` is absolute; its path is as the client sent it. */
export function readPath(url: string): PathReading {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  const target = start < 0 ? '/' : url.slice(start);
  const mark = target.indexOf('?');
  const [raw, search] = mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark)];
  const path = decode(raw);
  if (path === null) return { type: 'broken' };
  const clean = cleanPath(path);
  if (clean !== path) return { type: 'moved', location: encodeURI(clean) + search };
  return { type: 'path', path, query: new URLSearchParams(search) };
}

function decode(raw: string): string | null {
  try {
    return decodeURIComponent(raw);
  } catch {
    return null;
  }
}

function cleanPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  const hasEnd = parts.length > 0 && path.endsWith('/');
  return `/${parts.join('/')}${hasEnd ? '/' : ''}`;
}
