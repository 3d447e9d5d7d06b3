/**
 * Determines which verbs are served at each path of a kind: the verbs of discovery, divided among the paths.
 *
 *     /api/v1/configmaps                        list watch                          all namespaces
 *     /api/v1/namespaces/a/configmaps           list watch create deletecollection
 *     /api/v1/namespaces/a/configmaps/b         get update patch delete
 *     /api/v1/namespaces/a/configmaps/b/part    the verbs of that subresource
 *     /api/v1/watch/…                           watch, of each of the first three
 *
 * 1. No writing verb is served for all namespaces at once: otherwise a delete of `/api/v1/configmaps` would
 *    delete the ConfigMaps of every namespace.
 * 2. A path must have the scope of the kind. The authorizer sees the namespace of the path: a role in one
 *    namespace must not reach `/api/v1/namespaces/a/nodes`.
 * 3. A path without any verb does not exist (404); at all other paths, verbs that are not served are refused
 *    (405).
 *
 * kube-apiserver serves custom resources with a different handler, which refuses with different codes. This
 * file reproduces both, and test/apiserver/discovery-record.test.ts compares both with recorded responses.
 */
import { verbsOf } from '../registry/catalog.ts';
import { isCustomKind } from '../schema/custom-object.ts';
import type { KindDefinition, Subresource, Verb } from '../objects/kind.ts';
import type { ResourceRequest } from '../requests/request-info.ts';
import {
  badRequest,
  methodNotAllowed,
  methodNotSupported,
  notFound,
  resourceUnknown,
} from '../objects/status.ts';

const ALL_NAMESPACES: readonly Verb[] = ['list', 'watch'];
const COLLECTION: readonly Verb[] = ['list', 'watch', 'create', 'deletecollection'];
const ITEM: readonly Verb[] = ['get', 'update', 'patch', 'delete'];

export interface Route {
  readonly verb: Verb;
  /** HEAD is not GET: kube-apiserver has no routes for it, except for proxies and custom kinds. */
  readonly isHead: boolean;
}

/** The subresource that the path names. Undefined: the object itself. Throws a StatusError. */
export function partOf(
  definition: KindDefinition,
  path: ResourceRequest,
  route: Route,
): Subresource | undefined {
  // A watch of one object by its path is a watch of the collection, restricted to that object.
  const place = path.isWatch ? { ...path, name: null } : path;
  return isCustomKind(definition)
    ? customPart(definition, place, route.verb)
    : builtInPart(definition, place, route);
}

/**
 * Whether the scope of the path differs from that of the kind. For custom kinds kube-apiserver then responds
 * as for any path that it does not serve.
 */
export function isUnknownPath(
  definition: KindDefinition,
  path: ResourceRequest,
  verb: Verb,
): boolean {
  if (!isCustomKind(definition)) return false;
  const isAcross = path.namespace === null && ALL_NAMESPACES.includes(verb);
  return (
    definition.namespaced !== (path.namespace !== null) && !(definition.namespaced && isAcross)
  );
}

function builtInPart(
  definition: KindDefinition,
  path: ResourceRequest,
  { verb, isHead }: Route,
): Subresource | undefined {
  const part = definition.subresources?.find((one) => one.name === path.subresource);
  if (path.subresource !== null && !part) throw resourceUnknown();
  if (path.beneath !== null && part?.connects !== 'proxy') throw resourceUnknown();
  const served = servedAt(definition, path, part);
  if (served.length === 0) throw resourceUnknown();
  if (verb === 'watch' && served.includes('list') && !served.includes('watch')) {
    throw methodNotSupported(definition, verb);
  }
  if (!served.includes(verb) || (isHead && part?.connects !== 'proxy')) throw methodNotAllowed();
  return part;
}

/** The verbs that are served at this path. Empty: there is no such path. */
function servedAt(
  definition: KindDefinition,
  { namespace, name }: ResourceRequest,
  part: Subresource | undefined,
): readonly Verb[] {
  const { namespaced } = definition;
  if (namespace !== null && !namespaced) return [];
  if (namespace === null && namespaced && name !== null) return [];
  if (part) return part.verbs;
  const scope =
    name !== null ? ITEM : namespaced && namespace === null ? ALL_NAMESPACES : COLLECTION;
  return verbsOf(definition).filter((verb) => scope.includes(verb));
}

function customPart(
  definition: KindDefinition,
  { subresource, name, beneath }: ResourceRequest,
  verb: Verb,
): Subresource | undefined {
  if (subresource === null) {
    // kube-apiserver's handler of custom kinds checks the name only after it has chosen the verb.
    if (name === null && ITEM.includes(verb)) throw badRequest('name must be provided');
    return undefined;
  }
  const part = definition.subresources?.find((one) => one.name === subresource);
  if (!part || beneath !== null) throw notFound(definition, name ?? '');
  if (!part.verbs.includes(verb)) throw methodNotSupported(definition, verb);
  return part;
}
