/**
 * Checks an APIService without a request to its server: whether it has a Service, a port, and an endpoint
 * that is ready. Reasons and texts are kube-aggregator's.
 */
import type { JsonObject } from '../../lib/json.ts';
import { readText } from '../../api/validation/json-reading.ts';
import { objectsAt, structAt, textAt } from '../objects/field-path.ts';
import type { Availability } from './api-service-condition.ts';
import type { ServiceName } from './backend-client.ts';

export interface ServiceState {
  /** Undefined: it does not exist. */
  readonly service: JsonObject | undefined;
  readonly slices: readonly JsonObject[];
}

/** Null: nothing speaks against it, and its server must be asked. */
export function decideAvailability(
  reference: ServiceName,
  { service, slices }: ServiceState,
): Availability | null {
  const which = `service/${reference.name} in ${JSON.stringify(reference.namespace)}`;
  if (!service) return no('ServiceNotFound', `${which} is not present`);
  // Of other types nothing is known but what their server answers.
  if (textAt(service, 'spec.type') !== 'ClusterIP') return null;
  const port = objectsAt(service, 'spec.ports').find((one) => one['port'] === reference.port);
  if (!port) return no('ServicePortError', `${which} is not listening on port ${reference.port}`);
  if (slices.length === 0) {
    return no('EndpointsNotFound', `cannot find endpointslices for ${which}`);
  }
  const name = readText(port['name']);
  if (slices.some((slice) => isReady(slice, name))) return null;
  const problem = `have no addresses with port name ${JSON.stringify(name)}`;
  return no('MissingEndpoints', `endpointslices for ${which} ${problem}`);
}

export function cannotBeChecked(
  { name, namespace }: ServiceName,
  reason: 'ServiceAccessError' | 'EndpointsAccessError',
  why: string,
): Availability {
  const message = `service/${name} in ${JSON.stringify(namespace)} cannot be checked due to: ${why}`;
  return { status: 'Unknown', reason, message };
}

export function failedDiscovery(message: string): Availability {
  return no('FailedDiscoveryCheck', message);
}

function isReady(slice: JsonObject, portName: string): boolean {
  const hasEndpoint = objectsAt(slice, 'endpoints').some(
    (one) => structAt(one, 'conditions')['ready'] !== false,
  );
  return (
    hasEndpoint &&
    objectsAt(slice, 'ports').some(
      (one) => readText(one['name']) === portName && typeof one['port'] === 'number',
    )
  );
}

function no(reason: string, message: string): Availability {
  return { status: 'False', reason, message };
}
