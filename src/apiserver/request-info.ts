/**
 * What a request is about, read from its path and method.
 *
 *     /api/v1/namespaces/{ns}/{resource}/{name}/{subresource}
 *     /apis/{group}/{version}/{resource}…            and everything else: discovery, health, version
 */

export interface ResourceRequest {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Null: the path names none. */
  readonly namespace: string | null;
  readonly name: string | null;
  readonly subresource: string | null;
}

/** Null: the path is not that of a resource. */
export function readResourcePath(path: string): ResourceRequest | null {
  const words = path.split('/').slice(1).map(decode);
  const [root] = words;
  if (root !== 'api' && root !== 'apis') return null;
  const [group, version, ...rest] = root === 'api' ? ['', ...words.slice(1)] : words.slice(1);
  if (group === undefined || !version || rest.length === 0 || rest[0] === '') return null;
  return readRest({ group, version }, rest);
}

function readRest(
  version: Pick<ResourceRequest, 'group' | 'version'>,
  rest: readonly string[],
): ResourceRequest | null {
  const [first = '', second, third, ...more] = rest;
  // A namespace is a container of others and, for two of its subresources, an object itself.
  const isInNamespace =
    first === 'namespaces' && third !== undefined && !NAMESPACE_PARTS.has(third);
  if (!isInNamespace) {
    return {
      ...version,
      resource: first,
      namespace: null,
      name: second ?? null,
      subresource: third === undefined ? null : [third, ...more].join('/'),
    };
  }
  const [name, ...subresource] = more;
  return {
    ...version,
    resource: third,
    namespace: second ?? '',
    name: name ?? null,
    subresource: subresource.length === 0 ? null : subresource.join('/'),
  };
}

const NAMESPACE_PARTS: ReadonlySet<string> = new Set(['status', 'finalize']);

function decode(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word; // a name with a bare percent sign is no name that anything has
  }
}
