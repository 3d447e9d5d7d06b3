/**
 * Computes what a node's client or serving certificate must contain, and checks an existing certificate
 * against it.
 *
 *     client   the node's name, and nothing else; the node authenticates to the API server with it
 *     serving  the same name, and every name and address of the node
 *
 * A certificate may contain more than it must: then it is valid, and is not requested again.
 */
import { parseIp } from '../../lib/ip.ts';
import { isJsonObject, type Json } from '../../lib/json.ts';

export interface CertificateTemplate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Both in order, and each once. */
  readonly dnsNames: readonly string[];
  readonly addresses: readonly string[];
}

const NODES_GROUP = 'system:nodes';
const ADDRESS_TYPES: ReadonlySet<unknown> = new Set(['Hostname', 'InternalIP', 'ExternalIP']);
const NAME_TYPES: ReadonlySet<unknown> = new Set(['Hostname', 'InternalDNS', 'ExternalDNS']);

export function clientTemplate(nodeName: string): CertificateTemplate {
  return {
    commonName: `system:node:${nodeName}`,
    organizations: [NODES_GROUP],
    dnsNames: [],
    addresses: [],
  };
}

/** `addresses` is `status.addresses` of the Node. Null: it has no IP address yet. */
export function servingTemplate(
  nodeName: string,
  addresses: Json | undefined,
): CertificateTemplate | null {
  const list: readonly Json[] = Array.isArray(addresses) ? addresses : [];
  const names = new Set<string>();
  const ips = new Set<string>();
  for (const one of list) {
    const { type, address } = isJsonObject(one) ? one : {};
    if (typeof address !== 'string' || address === '') continue;
    const ip = parseIp(address)?.text;
    if (ip !== undefined && ADDRESS_TYPES.has(type)) ips.add(ip);
    else if (ip === undefined && NAME_TYPES.has(type)) names.add(address);
  }
  if (ips.size === 0) return null;
  return {
    ...clientTemplate(nodeName),
    dnsNames: [...names].toSorted(),
    addresses: [...ips].toSorted(),
  };
}

export function satisfies(actual: CertificateTemplate, wanted: CertificateTemplate): boolean {
  return (
    actual.commonName === wanted.commonName &&
    hasAll(actual.organizations, wanted.organizations) &&
    hasAll(actual.dnsNames, wanted.dnsNames) &&
    hasAll(actual.addresses, wanted.addresses)
  );
}

export function isSameTemplate(
  a: CertificateTemplate | null,
  b: CertificateTemplate | null,
): boolean {
  return a === b || (a !== null && b !== null && satisfies(a, b) && satisfies(b, a));
}

function hasAll(list: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((one) => list.includes(one));
}
