/**
 * Lists the Services whose addresses containers get as environment variables.
 *
 * podkeep runs no service proxy. For the Service that most programs need, `kubernetes`, containers get the
 * address on which the API server really listens.
 */
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { Informer } from '../../ports/api/informer.ts';
import type { ApiAddress } from './server/pod-listener.ts';

/** Null: they have not been read yet. `api` null: the service's own address is used. */
export function servicesFrom(
  informer: Informer,
  api: () => ApiAddress | null,
): readonly JsonObject[] | null {
  if (!informer.hasSynced) return null;
  const address = api();
  const services = informer.list();
  return address === null ? services : services.map((service) => withAddress(service, address));
}

function withAddress(service: JsonObject, { host, port }: ApiAddress): JsonObject {
  const { metadata, spec } = service;
  if (!isJsonObject(metadata) || !isJsonObject(spec)) return service;
  if (metadata['name'] !== 'kubernetes' || metadata['namespace'] !== 'default') return service;
  const ports = [{ name: 'https', protocol: 'TCP', port, targetPort: port }];
  return { ...service, spec: { ...spec, clusterIP: host, clusterIPs: [host], ports } };
}
