/** Reads and writes APIServices, Services and EndpointSlices for the parts of the aggregator. */
import { formatTime } from '../../api/values/time.ts';
import type { JsonObject } from '../../lib/json.ts';
import { apiServices } from '../kinds/extension/api-service.ts';
import { endpointSlices } from '../kinds/networking/endpoint-slice.ts';
import { services } from '../kinds/networking/service.ts';
import { labelsOf } from '../objects/object-labels.ts';
import { StatusError } from '../objects/status.ts';
import { keyOf, prefixOf, type Target } from '../registry/registry.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import { withAvailability, type Availability } from './api-service-condition.ts';

export const API_SERVICES = prefixOf(apiServices, '');
export const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';

export function targetOfApiService(name: string): Target {
  return { definition: apiServices, namespace: '', name };
}

export function findApiService({ store }: ServerParts, name: string): JsonObject | undefined {
  return store.get(keyOf(targetOfApiService(name)))?.value;
}

export function findService(
  { store }: ServerParts,
  namespace: string,
  name: string,
): JsonObject | undefined {
  return store.get(keyOf({ definition: services, namespace, name }))?.value;
}

export function slicesOfService(
  { store }: ServerParts,
  namespace: string,
  name: string,
): readonly JsonObject[] {
  return store
    .list(prefixOf(endpointSlices, namespace), { strict: true })
    .objects.map(({ value }) => value)
    .filter((slice) => labelsOf(slice)[SERVICE_NAME_LABEL] === name);
}

/** Writes nothing if the condition is the same. An APIService that is gone, or local by now, needs none. */
export async function writeAvailability(
  parts: ServerParts,
  name: string,
  wanted: Availability,
  applies: (apiService: JsonObject) => boolean,
): Promise<void> {
  const found = findApiService(parts, name);
  const now = formatTime(parts.clock.now());
  const change = (old: JsonObject): JsonObject =>
    applies(old) ? withAvailability(old, wanted, now) : old;
  if (!found || change(found) === found) return;
  const target = { ...targetOfApiService(name), subresource: 'status' };
  await parts.registry.update({ ...target, change, isExempt: true }).catch((error: unknown) => {
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
  });
}
