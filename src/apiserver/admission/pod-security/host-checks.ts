/**
 * Pod Security checks of what a pod may use of its node: host namespaces, hostPath volumes, host ports, and
 * hosts in probes.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { objectsAt, textAt } from '../../objects/field-path.ts';
import { readNumber, readText } from '../../../api/validation/json-reading.ts';
import {
  containersOf,
  containersWith,
  namedContainers,
  plural,
  quoteAll,
  sortedSet,
  type Check,
} from './check.ts';

export const hostNamespaces: Check = ({ spec }) => {
  const shared = ['hostNetwork', 'hostPID', 'hostIPC'].filter((name) => spec[name] === true);
  if (shared.length === 0) return undefined;
  return { reason: 'host namespaces', detail: shared.map((name) => `${name}=true`).join(', ') };
};

export const hostPathVolumes: Check = ({ spec }) => {
  const names = objectsAt(spec, 'volumes')
    .filter(({ hostPath }) => hostPath !== undefined && hostPath !== null)
    .map(({ name }) => readText(name));
  if (names.length === 0) return undefined;
  return {
    reason: 'hostPath volumes',
    detail: `${plural('volume', names.length)} ${quoteAll(names)}`,
  };
};

export const hostPorts: Check = (pod) => {
  const names = containersWith(pod, (one) => hostPortsOf(one).length > 0);
  if (names.length === 0) return undefined;
  const ports = sortedSet(containersOf(pod).flatMap(hostPortsOf));
  const uses = names.length === 1 ? 'uses' : 'use';
  const what = `${plural('hostPort', ports.length)} ${ports.join(', ')}`;
  return { reason: 'hostPort', detail: `${namedContainers(names)} ${uses} ${what}` };
};

function hostPortsOf(container: JsonObject): readonly string[] {
  return objectsAt(container, 'ports')
    .map(({ hostPort }) => readNumber(hostPort))
    .filter((port) => port !== 0)
    .map(String);
}

const HANDLERS = [
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle.postStart',
  'lifecycle.preStop',
] as const;

/**
 * The kubelet probes from the node's network: a `host` field could point it at addresses that only the node
 * can reach.
 */
export const hostProbesAndHostLifecycle: Check = (pod) => {
  const names = sortedSet(containersWith(pod, (one) => hostsOf(one).length > 0));
  if (names.length === 0) return undefined;
  const hosts = sortedSet(containersOf(pod).flatMap(hostsOf));
  const uses = names.length === 1 ? 'uses' : 'use';
  const what = `${plural('probe or lifecycle host', hosts.length)} ${quoteAll(hosts)}`;
  return { reason: 'probe or lifecycle host', detail: `${namedContainers(names)} ${uses} ${what}` };
};

function hostsOf(container: JsonObject): readonly string[] {
  return HANDLERS.flatMap((handler) =>
    ['httpGet', 'tcpSocket'].map((kind) => textAt(container, `${handler}.${kind}.host`)),
  ).filter((host) => host !== '');
}
