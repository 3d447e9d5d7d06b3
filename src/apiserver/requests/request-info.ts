/**
 * Parses the path of a request: group, version, namespace, resource, name and subresource. Other paths
 * (discovery, health, version) are not resources.
 *
 *     /api/v1/namespaces/{ns}/{resource}/{name}/{subresource}/{beneath}…
 *     /apis/{group}/{version}/{resource}…            the same for named groups
 *     /api/v1/watch/{resource}…                      a watch, the deprecated form of `watch=true`
 */

export interface ResourceRequest {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Null: the path has no namespace. */
  readonly namespace: string | null;
  readonly name: string | null;
  readonly subresource: string | null;
  /** The path after the subresource, unchanged, for the server behind a proxy. */
  readonly beneath: string | null;
  /** True: the path itself requests a watch. */
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
  // `namespaces/NAME/…` contains other objects, except for the two subresources of the Namespace itself.
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
