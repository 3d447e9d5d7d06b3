/** The URL library. URLs are parsed as Go parses them. */
import { CelError } from '../fault.ts';
import { overload, type Overload } from '../overload.ts';
import { ListValue, MapValue, Opaque, type UrlParts, type CelValue } from '../value.ts';
import { urlParts, text } from './arguments.ts';

const URL_FORM =
  /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/(?:[^@/?#]*@)?([^/?#]*))?([^?#]*)(?:\?([^#]*))?$/;

/** An absolute URI, or an absolute path; undefined: neither. */
function read(value: string): UrlParts | undefined {
  // oxlint-disable-next-line no-control-regex -- they are what may not be there
  if (value === '' || /[\u0000-\u001F\u007F]/.test(value) || value.includes('#')) return undefined;
  const match = URL_FORM.exec(value);
  if (!match) return undefined;
  const [, scheme = '', host = '', path = '', query = ''] = match;
  if (scheme === '' && !value.startsWith('/')) return undefined;
  if (/%(?![0-9a-fA-F]{2})/.test(path)) return undefined;
  const [, bracketed, plain = '', port = ''] =
    /^(?:\[([^\]]*)\]|([^:]*))(?::(\d*))?$/.exec(host) ?? [];
  const isHost = (host === '' || bracketed !== undefined || plain !== '') && !/[\s"<>]/.test(host);
  if (!isHost) return undefined;
  return { scheme, host, hostname: bracketed ?? plain, port, path: escapedPath(path), query };
}

function escapedPath(path: string): string {
  return encodeURI(path).replaceAll('%25', '%');
}

function made(value: string): CelValue {
  const found = read(value);
  if (!found)
    throw new CelError(
      `URL parse error during conversion from string: parse ${JSON.stringify(value)}: invalid URI for request`,
    );
  return new Opaque('URL', found);
}

function queryOf({ query }: UrlParts): CelValue {
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  return new MapValue([...values].map(([name, all]) => [name, new ListValue(all)] as const));
}

export const urls: readonly Overload[] = [
  overload('url(string): URL', ([a], budget) => {
    budget.walk(text(a).length);
    return made(text(a));
  }),
  overload('isURL(string): bool', ([a], budget) => {
    budget.walk(text(a).length);
    return read(text(a)) !== undefined;
  }),
  overload('URL.getScheme(): string', ([a]) => urlParts(a).scheme),
  overload('URL.getHost(): string', ([a]) => urlParts(a).host),
  overload('URL.getHostname(): string', ([a]) => urlParts(a).hostname),
  overload('URL.getPort(): string', ([a]) => urlParts(a).port),
  overload('URL.getEscapedPath(): string', ([a]) => urlParts(a).path),
  overload('URL.getQuery(): map<string, list<string>>', ([a]) => queryOf(urlParts(a))),
];
