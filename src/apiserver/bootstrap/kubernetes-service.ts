/**
 * Creates the Service `kubernetes` in the namespace `default`, by which pods find the API server, and its
 * endpoints.
 *
 * As in kube-apiserver, the Service is created once and never updated, while its endpoints are set to the
 * address of the listener. Unlike in kube-apiserver, this may be a loopback address, which pods that are
 * processes on this machine can reach.
 */
import { jsonEqual } from '../../api/values/json-equal.ts';
import { parseIp } from '../../lib/ip.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { endpointSlices } from '../kinds/networking/endpoint-slice.ts';
import { endpoints } from '../kinds/networking/endpoints.ts';
import { services } from '../kinds/networking/service.ts';
import { metadataOf } from '../objects/metadata.ts';
import { keyOf } from '../registry/registry.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import { createMissing } from './namespaces.ts';

export interface ServingAddress {
  readonly ip: string;
  readonly port: number;
}

const NAME = 'kubernetes';
const NAMESPACE = 'default';
/** The first address of the Service range. The server's certificate is valid for it. */
const SERVICE_IP = '10.96.0.1';
const SERVICE_PORT = 443;

/** Requires that the namespace exists. */
export async function bootstrapKubernetesService(
  parts: ServerParts,
  address: ServingAddress,
): Promise<void> {
  await Promise.all([
    createMissing(parts, [{ definition: services, namespace: NAMESPACE, body: service(address) }]),
    reconcile(parts, endpoints, endpointsAt(address)),
    reconcile(parts, endpointSlices, sliceAt(address)),
  ]);
}

async function reconcile(
  parts: ServerParts,
  definition: KindDefinition,
  wanted: JsonObject,
): Promise<void> {
  const target = { definition, namespace: NAMESPACE, name: NAME };
  const found = parts.store.get(keyOf(target));
  if (!found) return createMissing(parts, [{ ...target, body: wanted }]);
  // The address type of a slice is immutable, so the slice is replaced.
  if (found.value['addressType'] !== wanted['addressType']) {
    await parts.store.commit([{ key: found.key, expected: found.revision, make: null }]);
    return createMissing(parts, [{ ...target, body: wanted }]);
  }
  const change = (old: JsonObject): JsonObject => withContent(old, wanted);
  if (jsonEqual(change(found.value), found.value)) return;
  await parts.registry.update({ ...target, change, isExempt: true });
}

function withContent(old: JsonObject, wanted: JsonObject): JsonObject {
  const { labels = {} } = metadataOf(wanted);
  return { ...old, ...wanted, metadata: { ...metadataOf(old), labels } };
}

function service({ port }: ServingAddress): JsonObject {
  const labels = { component: 'apiserver', provider: 'kubernetes' };
  return {
    metadata: { name: NAME, labels },
    spec: {
      type: 'ClusterIP',
      clusterIP: SERVICE_IP,
      ipFamilyPolicy: 'SingleStack',
      sessionAffinity: 'None',
      ports: [{ name: 'https', protocol: 'TCP', port: SERVICE_PORT, targetPort: port }],
    },
  };
}

function endpointsAt({ ip, port }: ServingAddress): JsonObject {
  return {
    // The EndpointSlice is created here as well, so the mirroring controller must not create another.
    metadata: { name: NAME, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip }], ports: [{ name: 'https', port, protocol: 'TCP' }] }],
  };
}

function sliceAt({ ip, port }: ServingAddress): JsonObject {
  return {
    metadata: { name: NAME, labels: { 'kubernetes.io/service-name': NAME } },
    addressType: parseIp(ip)?.family === 6 ? 'IPv6' : 'IPv4',
    endpoints: [{ addresses: [ip], conditions: { ready: true } }],
    ports: [{ name: 'https', port, protocol: 'TCP' }],
  };
}
