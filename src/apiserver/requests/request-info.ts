/**
 * What a request is about, parsed from its path and method.
 *
 *     /api/v1/namespaces/{ns}/{resource}/{name}/{subresource}/{beneath}…
 *     /apis/{group}/{version}/{resource}…            and everything else: discovery, health, version
 *     /api/v1/watch/{resource}…                      a watch, as before there was the query `watch=true`
 */

export interface ResourceRequest {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Null: the path names none. */
  readonly namespace: string | null;
  readonly name: string | null;
  readonly subresource: string | null;
  /** The path behind the subresource, unchanged; for the server behind a proxy. */
  readonly beneath: string | null;
  /** The path itself asks for a watch. */
  readonly isWatch?: true;
}

/** Null: the path is not that of a resource. */
export function readResourcePath(path: string): ResourceRequest | null {
  const words = path.split('/').slice(1);
  const [root] = words;
  if (root !== 'api' && root !== 'apis') return null;
  const [group, version, ...rest] = root === 'api' ? ['', ...words.slice(1)] : words.slice(1);
  if (group === undefined || !version || rest.length === 0 || rest[0] === '') return null;
  const place = { group: decode(group), version: decode(version) };
  const isWatch = rest[0] === WATCH && rest.length > 1 && rest[1] !== '';
  return isWatch ? { ...readRest(place, rest.slice(1)), isWatch } : readRest(place, rest);
}

function readRest(
  version: Pick<ResourceRequest, 'group' | 'version'>,
  rest: readonly string[],
): ResourceRequest {
  const [first = '', second, third, ...more] = rest;
  // A namespace contains other objects and, for two of its subresources, is an object itself.
  const isInNamespace =
    first === 'namespaces' && third !== undefined && !NAMESPACE_PARTS.has(third);
  if (!isInNamespace) {
    return {
      ...version,
      resource: decode(first),
      namespace: null,
      name: decodeIf(second),
      ...readPart(third, more),
    };
  }
  const [name, part, ...beneath] = more;
  return {
    ...version,
    resource: decode(third),
    namespace: decode(second ?? ''),
    name: decodeIf(name),
    ...readPart(part, beneath),
  };
}

const WATCH = 'watch';
const NAMESPACE_PARTS: ReadonlySet<string> = new Set(['status', 'finalize']);

function readPart(
  part: string | undefined,
  beneath: readonly string[],
): Pick<ResourceRequest, 'subresource' | 'beneath'> {
  const path = beneath.length === 0 ? null : `/${beneath.join('/')}`;
  return { subresource: decodeIf(part), beneath: path };
}

function decodeIf(word: string | undefined): string | null {
  return word === undefined ? null : decode(word);
}

function decode(word: string): string {
  if (!word.includes('%')) return word;
  try {
    return decodeURIComponent(word);
  } catch {
    return word; // a name with a bare percent sign cannot exist
  }
}
