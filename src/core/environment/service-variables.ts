/**
 * Builds the environment variables by which containers find services: `{NAME}_SERVICE_HOST`,
 * `{NAME}_SERVICE_PORT`, and those of the former Docker links.
 *
 * The service `kubernetes` is always included, because clients in a pod find the API server by it. Other
 * services are included if they are in the pod's namespace and the pod has `enableServiceLinks`.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';

const MASTER_SERVICE = 'kubernetes';
const MASTER_NAMESPACE = 'default';

type Variable = readonly [name: string, value: string];

interface ServicePort {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
}

export function serviceVariables(
  services: readonly JsonObject[],
  namespace: string,
  enableServiceLinks: boolean,
): ReadonlyMap<string, string> {
  const chosen = new Map<string, JsonObject>();
  for (const service of services) {
    const { name, namespace: home } = nameOf(service);
    if (!clusterIpOf(service)) continue;
    const isMaster = home === MASTER_NAMESPACE && name === MASTER_SERVICE;
    // A service of the same name in the pod's namespace takes precedence over the API server's.
    if (isMaster && !chosen.has(name)) chosen.set(name, service);
    else if (!isMaster && home === namespace && enableServiceLinks) chosen.set(name, service);
  }
  return new Map([...chosen].flatMap(([name, service]) => variablesOf(name, service)));
}

function variablesOf(name: string, service: JsonObject): readonly Variable[] {
  const host = clusterIpOf(service);
  const prefix = variableName(name);
  const ports = portsOf(service);
  const first = ports[0];
  if (!first) return [[`${prefix}_SERVICE_HOST`, host]];
  const named: readonly Variable[] = ports
    .filter((port) => port.name !== '')
    .map((port) => [`${prefix}_SERVICE_PORT_${variableName(port.name)}`, String(port.port)]);
  return [
    [`${prefix}_SERVICE_HOST`, host],
    [`${prefix}_SERVICE_PORT`, String(first.port)],
    ...named,
    [`${prefix}_PORT`, addressOf(host, first)],
    ...ports.flatMap((port) => linkVariables(prefix, host, port)),
  ];
}

function linkVariables(prefix: string, host: string, port: ServicePort): readonly Variable[] {
  const own = `${prefix}_PORT_${port.port}_${port.protocol.toUpperCase()}`;
  return [
    [own, addressOf(host, port)],
    [`${own}_PROTO`, port.protocol.toLowerCase()],
    [`${own}_PORT`, String(port.port)],
    [`${own}_ADDR`, host],
  ];
}

function addressOf(host: string, { protocol, port }: ServicePort): string {
  return `${protocol.toLowerCase()}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function variableName(text: string): string {
  return text.replaceAll('-', '_').toUpperCase();
}

function clusterIpOf(service: JsonObject): string {
  const spec = objectOf(service['spec']);
  const ip = spec['clusterIP'];
  return typeof ip === 'string' && ip !== 'None' ? ip : '';
}

function nameOf(service: JsonObject): { readonly name: string; readonly namespace: string } {
  const { name, namespace } = objectOf(service['metadata']);
  return { name: textOf(name), namespace: textOf(namespace) };
}

function portsOf(service: JsonObject): readonly ServicePort[] {
  const ports = objectOf(service['spec'])['ports'];
  if (!Array.isArray(ports)) return [];
  const list: readonly Json[] = ports;
  return list.filter(isJsonObject).map((port) => ({
    name: textOf(port['name']),
    port: Number(port['port'] ?? 0),
    protocol: textOf(port['protocol']) || 'TCP',
  }));
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
