/**
 * Allocates the cluster IPs and node ports that a Service needs and does not set, and refuses requested ones
 * that are in use or out of range.
 *
 * Allocation happens after mutating webhooks and before validation. Allocated values are reserved while
 * validating webhooks are called, so two concurrent Services never get the same. Requested values are checked
 * in the last step before the Service is stored: a Service that is invalid for another reason gets the error
 * for that first, and takes no value from other Services.
 */
import type { JsonObject } from '../../lib/json.ts';
import { parseIp } from '../../lib/ip.ts';
import type { Change, ObjectStore } from '../../ports/api/object-store.ts';
import type { Random } from '../../ports/random.ts';
import type { FieldError } from '../../api/validation/field-error.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { changeStructAt, objectsAt, structAt } from '../objects/field-path.ts';
import { needsHealthPort } from '../kinds/networking/service-transition.ts';
import { invalidField } from '../../api/validation/field-errors.ts';
import { withField } from '../../api/validation/json-changes.ts';
import { readNumber, readStruct, readText, readTexts } from '../../api/validation/json-reading.ts';
import { nameOf } from '../objects/metadata.ts';
import { internalError, invalid } from '../objects/status.ts';
import type { Admission, AdmissionRequest } from '../registry/admission.ts';
import {
  ServiceAddressCache,
  addressesOf,
  addressThing,
  heldBy,
  portThing,
} from './service-address-cache.ts';
import {
  isInRange,
  NODE_PORT_RANGE_TEXT,
  NODE_PORTS,
  pickFree,
  printIpv4,
  readIpv4,
  SERVICE_ADDRESSES,
} from './service-addresses-range.ts';

const DRY_ADDRESS = '10.96.0.0';
const ADDRESS_TAKEN = 'provided IP is already allocated';
const ADDRESS_FOREIGN = 'the provided network does not match the current range';
const PORT_TAKEN = 'provided port is already allocated';
const PORT_FOREIGN =
  'provided port is not in the valid range. ' +
  `The range of valid ports is ${NODE_PORT_RANGE_TEXT}`;

export class ServiceAddresses implements Admission {
  readonly #random: Random;
  readonly #addresses: ServiceAddressCache;

  constructor(store: ObjectStore, random: Random) {
    this.#random = random;
    this.#addresses = new ServiceAddressCache(store);
  }

  admit({ object }: AdmissionRequest): JsonObject {
    return object;
  }

  allocate(request: AdmissionRequest): JsonObject {
    const { object, dryRun, whenOver } = request;
    if (!isServiceWrite(request)) return object;
    const key = keyOf(request);
    const filled = changeStructAt(object, 'spec', (spec) =>
      this.#fillHealthPort(this.#fillNodePorts(this.#fillAddress(spec, request, key), key), key),
    );
    const before = heldBy(object);
    const chosen = [...heldBy(filled)].filter((thing) => !before.has(thing));
    if (!dryRun && chosen.length > 0) whenOver?.(this.#addresses.hold(chosen, key));
    return filled;
  }

  charge(request: AdmissionRequest): readonly Change[] {
    const { definition, object, old, dryRun } = request;
    if (!isServiceWrite(request)) return [];
    const key = keyOf(request);
    const known = old ? heldBy(old) : new Set<string>();
    const holder = { key, known, dryRun };
    const errors = this.#check(structAt(object, 'spec'), holder);
    if (errors.length > 0) throw invalid(definition, nameOf(object), errors);
    const added = [...heldBy(object)].filter((thing) => !known.has(thing));
    if (!dryRun) this.#addresses.reserve(added, key);
    return [];
  }

  #fillAddress(spec: JsonObject, { object, dryRun }: AdmissionRequest, key: string): JsonObject {
    const isAddressed = readText(spec['clusterIP']) !== '' || addressesOf(spec).length > 0;
    const family = objectFamily(spec);
    if (spec['type'] === 'ExternalName' || isAddressed || family !== 'IPv4') return spec;
    // A dry run shows the network address of the range, which no Service can get and no client can rely on.
    if (dryRun) return { ...spec, clusterIP: DRY_ADDRESS, clusterIPs: [DRY_ADDRESS] };
    const number = pickFree(SERVICE_ADDRESSES, this.#random, (one) =>
      this.#addresses.isFree(addressThing(printIpv4(one)), key),
    );
    if (number === undefined) {
      const which = JSON.stringify(nameOf(object));
      throw internalError(`failed to allocate a serviceIP for Service ${which}: range is full`);
    }
    const address = printIpv4(number);
    return { ...spec, clusterIP: address, clusterIPs: [address] };
  }

  /** Ports of the same number, for different protocols, share one node port. */
  #fillNodePorts(spec: JsonObject, key: string): JsonObject {
    const isAutomatic =
      spec['type'] === 'NodePort' ||
      (spec['type'] === 'LoadBalancer' && spec['allocateLoadBalancerNodePorts'] !== false);
    if (!isAutomatic) return spec;
    const chosen = new Map<number, number>();
    for (const port of objectsAt(spec, 'ports')) {
      const nodePort = readNumber(port['nodePort']);
      if (nodePort !== 0) chosen.set(readNumber(port['port']), nodePort);
    }
    const ports = objectsAt(spec, 'ports').map((port) => {
      if (readNumber(port['nodePort']) !== 0) return port;
      const number = readNumber(port['port']);
      const nodePort = chosen.get(number) ?? this.#pickPort(key, new Set(chosen.values()));
      chosen.set(number, nodePort);
      return { ...port, nodePort };
    });
    return ports.every((port, index) => port === objectsAt(spec, 'ports')[index])
      ? spec
      : withField(spec, 'ports', ports);
  }

  #fillHealthPort(spec: JsonObject, key: string): JsonObject {
    if (!needsHealthPort(spec) || readNumber(spec['healthCheckNodePort']) !== 0) return spec;
    const own = new Set(objectsAt(spec, 'ports').map((port) => readNumber(port['nodePort'])));
    return withField(spec, 'healthCheckNodePort', this.#pickPort(key, own));
  }

  #pickPort(key: string, own: ReadonlySet<number>): number {
    const port = pickFree(
      NODE_PORTS,
      this.#random,
      (one) => !own.has(one) && this.#addresses.isFree(portThing(one), key),
    );
    if (port === undefined) throw internalError('failed to allocate a nodePort: range is full');
    return port;
  }

  /** An address of an unsupported family makes further errors about families redundant. */
  #check(spec: JsonObject, holder: Holder): readonly FieldError[] {
    const addresses = spec['type'] === 'ExternalName' ? [] : addressesOf(spec);
    const foreign = [...checkAddressFamilies(addresses, holder)];
    if (foreign.length > 0) return foreign;
    const families = [...checkFamilies(spec)];
    if (families.length > 0) return families;
    return [...this.#checkAddresses(addresses, holder), ...this.#checkPorts(spec, holder)];
  }

  *#checkAddresses(
    addresses: readonly string[],
    { key, known, dryRun }: Holder,
  ): Generator<FieldError, void> {
    for (const address of addresses) {
      const thing = addressThing(address);
      if (known.has(thing) || (dryRun && address === DRY_ADDRESS)) continue;
      const isOurs = isInRange(SERVICE_ADDRESSES, readIpv4(address));
      // A dry run reserves nothing, so it may use a value of another Service.
      if (isOurs && (dryRun || this.#addresses.isFree(thing, key))) continue;
      const why = isOurs ? ADDRESS_TAKEN : ADDRESS_FOREIGN;
      const detail = `failed to allocate IP ${address}: ${why}`;
      yield invalidField('spec.clusterIPs', addresses, detail);
    }
  }

  *#checkPorts(spec: JsonObject, { key, known }: Holder): Generator<FieldError, void> {
    for (const [index, port] of objectsAt(spec, 'ports').entries()) {
      const nodePort = readNumber(port['nodePort']);
      const thing = portThing(nodePort);
      if (nodePort === 0 || known.has(thing)) continue;
      const isOurs = isInRange(NODE_PORTS, nodePort);
      if (isOurs && this.#addresses.isFree(thing, key)) continue;
      const detail = isOurs ? PORT_TAKEN : PORT_FOREIGN;
      yield invalidField(`spec.ports[${index}].nodePort`, nodePort, detail);
    }
    const health = needsHealthPort(spec) ? readNumber(spec['healthCheckNodePort']) : 0;
    const thing = portThing(health);
    if (health === 0 || known.has(thing) || this.#addresses.isFree(thing, key)) return;
    throw internalError(
      `failed to allocate requested HealthCheck NodePort ${health}: ${PORT_TAKEN}`,
    );
  }
}

/** The Service, and the values that it already holds. */
interface Holder {
  readonly key: string;
  readonly known: ReadonlySet<string>;
  readonly dryRun: boolean;
}

function* checkAddressFamilies(
  addresses: readonly string[],
  { known }: Holder,
): Generator<FieldError, void> {
  for (const [index, address] of addresses.entries()) {
    if (parseIp(address)?.family !== 6 || known.has(addressThing(address))) continue;
    const detail = 'IPv6 is not configured on this cluster';
    yield invalidField(`spec.clusterIPs[${index}]`, addresses, detail);
  }
}

/** Only IPv4 is supported. A headless Service without a selector may name both families. */
function* checkFamilies(spec: JsonObject): Generator<FieldError, void> {
  const isAnywhere =
    spec['clusterIP'] === 'None' && Object.keys(readStruct(spec['selector'])).length === 0;
  if (spec['type'] === 'ExternalName' || isAnywhere) return;
  const policy = readText(spec['ipFamilyPolicy']);
  if (policy === 'RequireDualStack') {
    const detail = 'this cluster is not configured for dual-stack services';
    yield invalidField('spec.ipFamilyPolicy', policy, detail);
  }
  for (const [index, family] of readTexts(spec['ipFamilies']).entries()) {
    if (family === 'IPv4') continue;
    const detail = 'not configured on this cluster';
    yield invalidField(`spec.ipFamilies[${index}]`, family, detail);
  }
}

function isServiceWrite({ verb, definition, subresource }: AdmissionRequest): boolean {
  return verb !== 'delete' && subresource === null && isService(definition);
}

function isService({ group, kind }: KindDefinition): boolean {
  return group === '' && kind === 'Service';
}

function keyOf({ namespace, object }: AdmissionRequest): string {
  return `/core/services/${namespace}/${nameOf(object)}`;
}

function objectFamily(spec: JsonObject): string {
  const { ipFamilies } = spec;
  const [first] = Array.isArray(ipFamilies) ? ipFamilies : [];
  return readText(first) || 'IPv4';
}
