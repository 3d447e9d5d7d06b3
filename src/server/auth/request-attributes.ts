/**
 * Which permissions let a request to the kubelet pass, as the kubelet of Kubernetes v1.36 maps paths:
 *
 *     /stats/*, /metrics/*, /logs/*      nodes/stats, nodes/metrics, nodes/log
 *     /checkpoint/*, /statusz, /flagz    nodes/checkpoint, nodes/statusz, nodes/configz
 *     /pods, /runningpods, /healthz/*, /configz   their own subresource, or nodes/proxy
 *     everything else                    nodes/proxy
 *
 * One of them is enough. The path is the one by which the request is served, after decoding: what is
 * checked and what is done must never be two different paths.
 */
const VERBS: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);

/** Who may do these may do them without the right to everything. */
const FINE_GRAINED: readonly (readonly [path: string, subresource: string])[] = [
  ['/pods', 'pods'],
  ['/healthz', 'healthz'],
  ['/configz', 'configz'],
  ['/runningpods', 'pods'],
];

const OWN: readonly (readonly [path: string, subresource: string])[] = [
  ['/stats', 'stats'],
  ['/metrics', 'metrics'],
  ['/logs', 'log'],
  ['/checkpoint', 'checkpoint'],
  ['/statusz', 'statusz'],
  ['/flagz', 'configz'],
];

/** Empty: a method that the API has no verb for. */
export function verbOf(method: string): string {
  return VERBS.get(method) ?? '';
}

/** At least one, in the order in which they are tried. */
export function subresourcesOf(path: string): readonly string[] {
  const isBelow = ([root]: readonly [string, string]): boolean =>
    path === root || path.startsWith(`${root}/`);
  const fine = FINE_GRAINED.find(isBelow)?.[1];
  const own = OWN.find(isBelow)?.[1] ?? 'proxy';
  return fine === undefined ? [own] : [fine, own];
}
