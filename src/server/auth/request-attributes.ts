/**
 * Decides which permissions a request to the kubelet's server needs, as in Kubernetes' kubelet v1.36:
 *
 *     /stats/*, /metrics/*, /logs/*      nodes/stats, nodes/metrics, nodes/log
 *     /checkpoint/*, /statusz, /flagz    nodes/checkpoint, nodes/statusz, nodes/configz
 *     /pods, /runningpods, /healthz/*, /configz   their own subresource, or nodes/proxy
 *     everything else                    nodes/proxy
 *
 * podkeep's own paths need the same permissions as those paths of the kubelet that have the same content
 * (docs/query-api.md):
 *
 *     /podkeep/v1/pods/*, /podkeep/v1/decisions      nodes/pods, or nodes/proxy
 *     /podkeep/v1/{node,resources,alerts}            nodes/stats
 *     /podkeep/v1/openapi.json                       one of these three
 *
 * If several permissions are listed, one is enough. The permission is decided by the decoded path, by which
 * the request is also served: the checked path and the served path must never differ.
 */
const VERBS: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);

/** Paths with their own permission, as an alternative to nodes/proxy. */
const FINE_GRAINED: readonly (readonly [path: string, subresource: string])[] = [
  ['/pods', 'pods'],
  ['/healthz', 'healthz'],
  // The kubelet does not have these paths; clients of /healthz may read them.
  ['/livez', 'healthz'],
  ['/readyz', 'healthz'],
  ['/configz', 'configz'],
  ['/runningpods', 'pods'],
  ['/podkeep/v1/pods', 'pods'],
  ['/podkeep/v1/decisions', 'pods'],
];

const OWN: readonly (readonly [path: string, subresource: string])[] = [
  ['/stats', 'stats'],
  ['/metrics', 'metrics'],
  ['/logs', 'log'],
  ['/checkpoint', 'checkpoint'],
  ['/statusz', 'statusz'],
  ['/flagz', 'configz'],
  ['/podkeep/v1/node', 'stats'],
  ['/podkeep/v1/resources', 'stats'],
  ['/podkeep/v1/alerts', 'stats'],
];

/** The OpenAPI document shows nothing about the node, so any permission for the query API is enough. */
const DOCUMENT = '/podkeep/v1/openapi.json';
const DOCUMENT_SUBRESOURCES = ['stats', 'pods', 'proxy'];

/** Empty: the API has no verb for the method. */
export function verbOf(method: string): string {
  return VERBS.get(method) ?? '';
}

/** The alternatives, in the order in which they are tried; at least one. */
export function subresourcesOf(path: string): readonly string[] {
  if (path === DOCUMENT) return DOCUMENT_SUBRESOURCES;
  const isBelow = ([root]: readonly [string, string]): boolean =>
    path === root || path.startsWith(`${root}/`);
  const fine = FINE_GRAINED.find(isBelow)?.[1];
  const own = OWN.find(isBelow)?.[1] ?? 'proxy';
  return fine === undefined ? [own] : [fine, own];
}
