/**
 * Finds the backend of a proxy request to a Service: one of its ready pods, chosen at random.
 *
 * Only addresses of pods are used: users may write any Endpoints, and must not reach other machines through
 * the API server that way.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { Backend } from '../../ports/api/kubelet-dialer.ts';
import { endpoints } from '../kinds/networking/endpoints.ts';
import { objectsAt, textAt } from '../objects/field-path.ts';
import { pods } from '../kinds/core/pods.ts';
import { services } from '../kinds/networking/service.ts';
import { readNumber, readObject, readText } from '../../api/validation/json-reading.ts';
import { keyOf } from '../registry/registry.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import { badRequest, StatusError } from '../objects/status.ts';

/** `text`: `name`, `name:port` or `scheme:name:port`, with the port's name or number. */
export function serviceAddress(parts: ServerParts, namespace: string, text: string): Backend {
  const { scheme, name, port } = readServiceName(text);
  const portName = /^\d+$/.test(port) ? nameOfPort(parts, namespace, name, Number(port)) : port;
  const subsets = objectsAt(
    parts.registry.get({ definition: endpoints, namespace, name }),
    'subsets',
  );
  if (subsets.length === 0) throw unavailable(`no endpoints available for service "${name}"`);
  for (const subset of fromSomewhere(parts, subsets)) {
    const found = objectsAt(subset, 'ports').find((one) => readText(one['name']) === portName);
    if (!found) continue;
    const addresses = fromSomewhere(parts, objectsAt(subset, 'addresses'));
    const address = addresses.find((one) => isPod(parts, namespace, one));
    if (!address) continue;
    return {
      type: 'address',
      scheme,
      host: readText(address['ip']),
      port: readNumber(found['port']),
    };
  }
  throw unavailable(`no endpoints available for service ${JSON.stringify(text)}`);
}

interface ServiceName {
  readonly scheme: 'http' | 'https';
  readonly name: string;
  readonly port: string;
}

function readServiceName(text: string): ServiceName {
  const words = text.split(':');
  const [scheme = '', name = '', port = ''] =
    words.length === 3 ? words : ['', words[0] ?? '', words[1] ?? ''];
  const isKnown = scheme === '' || scheme === 'http' || scheme === 'https';
  if (words.length > 3 || name === '' || !isKnown) {
    throw badRequest(`invalid service request ${JSON.stringify(text)}`);
  }
  return { scheme: scheme === 'https' ? 'https' : 'http', name, port };
}

function nameOfPort(
  { registry }: ServerParts,
  namespace: string,
  name: string,
  number: number,
): string {
  const service = registry.get({ definition: services, namespace, name });
  const port = objectsAt(service, 'spec.ports').find((one) => one['port'] === number);
  if (!port) throw unavailable(`no service port ${number} found for service "${name}"`);
  return readText(port['name']);
}

/** All items, rotated by a random number. */
function fromSomewhere<Item>({ random }: ServerParts, items: readonly Item[]): readonly Item[] {
  const start = Math.floor(random.next() * items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}

function isPod({ store }: ServerParts, namespace: string, address: JsonObject): boolean {
  const target = readObject(address['targetRef']);
  if (!target || readText(target['kind']) !== 'Pod') return false;
  const name = readText(target['name']);
  const pod = store.get(keyOf({ definition: pods, namespace, name }))?.value;
  if (!pod) return false;
  const ips = objectsAt(pod, 'status.podIPs').map(({ ip }) => readText(ip));
  return [...ips, textAt(pod, 'status.podIP')].includes(readText(address['ip']));
}

function unavailable(message: string): StatusError {
  return new StatusError(503, 'ServiceUnavailable', message);
}
