/**
 * What a request is about, read from its path and method.
 *
 *     /api/v1/namespaces/{ns}/{resource}/{name}/{subresource}/{beneath}…
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
  /** What the path has behind the subresource, as it came; it belongs to whoever is behind a proxy. */
  readonly beneath: string | null;
}

/** Null: the path is not that of a resource. */
export function readResourcePath(path: string): ResourceRequest | null {
  const words = path.split('/').slice(1);
  const [root] = words;
  if (root !== 'api' && root !== 'apis') return null;
  const [group, version, ...rest] = root === 'api' ? ['', ...words.slice(1)] : words.slice(1);
  if (group === undefined || !version || rest.length === 0 || rest[0] === '') return null;
  return readRest({ group: decode(group), version: decode(version) }, rest);
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
    return word; // a name with a bare percent sign is no name that anything has
  }
}
