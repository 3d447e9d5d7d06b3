/**
 * Finds the backend of a request to a subresource of a pod. exec, attach, port-forward and logs go to the
 * kubelet of its node, with the kubelet's paths and parameters; proxy requests go to the pod itself.
 */
import { isGlobalUnicast } from '../../lib/global-unicast.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Backend } from '../../ports/api/kubelet-dialer.ts';
import { objectsAt, textAt } from '../objects/field-path.ts';
import { readNumber, readText } from '../../api/validation/json-reading.ts';
import { metadataOf, nameOf, textOf } from '../objects/metadata.ts';
import { badRequest } from '../objects/status.ts';
import { readPortNumber, readProxyName } from './proxy-name.ts';

const CONTAINER_LISTS = [
  'spec.initContainers',
  'spec.containers',
  'spec.ephemeralContainers',
] as const;

/** The kubelet's path and query. `subresource`: exec, attach or portforward. */
export function streamPath(pod: JsonObject, subresource: string, query: URLSearchParams): string {
  const place = placeOf(pod);
  if (subresource === 'portforward') {
    const ports = query.getAll('ports').join(',');
    return withQuery(`/portForward/${place}`, ports === '' ? [] : [['port', ports]]);
  }
  const container = chooseContainer(pod, query.get('container') ?? '');
  const params: [string, string][] = STREAM_FLAGS.flatMap(([asked, name]) =>
    readQueryFlag(query, asked) ? [[name, '1'] satisfies [string, string]] : [],
  );
  if (subresource === 'exec') {
    for (const word of query.getAll('command')) params.push(['command', word]);
  }
  return withQuery(`/${subresource}/${place}/${encodeURIComponent(container)}`, params);
}

/** The names of parameters in the API, and in the kubelet. */
const STREAM_FLAGS = [
  ['stdin', 'input'],
  ['stdout', 'output'],
  ['stderr', 'error'],
  ['tty', 'tty'],
] as const;

/** Expects a query that was validated. */
export function logPath(pod: JsonObject, query: URLSearchParams): string {
  const container = chooseContainer(pod, query.get('container') ?? '');
  const params: [string, string][] = [];
  for (const name of ['follow', 'previous', 'timestamps']) {
    if (readQueryFlag(query, name)) params.push([name, 'true']);
  }
  for (const name of ['sinceSeconds', 'sinceTime', 'tailLines', 'limitBytes']) {
    const value = query.get(name);
    if (value !== null && value !== '') params.push([name, value]);
  }
  return withQuery(`/containerLogs/${placeOf(pod)}/${encodeURIComponent(container)}`, params);
}

/**
 * `name` may contain the port and the scheme. `own`: addresses of this machine that the node in this process
 * assigned to the pod.
 */
export function podAddress(pod: JsonObject, name: string, own: readonly string[]): Backend {
  const given = readProxyName(name, 'pod');
  const port = readPortNumber(given, name, 'pod');
  const host = textAt(pod, 'status.podIP');
  const ports = objectsAt(pod, 'spec.containers').flatMap((one) => objectsAt(one, 'ports'));
  const first = readNumber(ports[0]?.['containerPort']);
  if (!isGlobalUnicast(host) && !own.includes(host)) throw badRequest('address not allowed');
  return { type: 'address', scheme: given.scheme, host, port: port ?? (first > 0 ? first : null) };
}

/** The requested container, or the only one. */
function chooseContainer(pod: JsonObject, wanted: string): string {
  const all = CONTAINER_LISTS.flatMap((list) => objectsAt(pod, list)).map(({ name }) =>
    readText(name),
  );
  if (wanted !== '') {
    if (all.includes(wanted)) return wanted;
    throw badRequest(`container ${wanted} is not valid for pod ${nameOf(pod)}`);
  }
  const own = objectsAt(pod, 'spec.containers');
  const [only] = own;
  if (only && own.length === 1) return readText(only['name']);
  const choice = own.length === 0 ? '' : `, choose one of: [${all.join(' ')}]`;
  throw badRequest(`a container name must be specified for pod ${nameOf(pod)}${choice}`);
}

function placeOf(pod: JsonObject): string {
  const namespace = textOf(metadataOf(pod)['namespace']);
  return `${encodeURIComponent(namespace)}/${encodeURIComponent(nameOf(pod))}`;
}

/** As the API server reads flags in queries: any value except a clear no counts as true. */
export function readQueryFlag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}

function withQuery(path: string, params: readonly [string, string][]): string {
  return params.length === 0 ? path : `${path}?${new URLSearchParams(params).toString()}`;
}
