/** Defines the kind EndpointSlice: its validation and columns. */
import { jsonEqual } from '../../../api/values/json-equal.ts';
import { parseIp } from '../../../lib/ip.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { printFirst, textColumn } from '../../objects/columns.ts';
import { objectsAt, textAt } from '../../objects/field-path.ts';
import { startGenerations } from '../lifecycle.ts';
import { validateUnchanged } from '../number-rules.ts';
import { AGE, NAME, plainKind } from '../../objects/plain-kind.ts';
import {
  duplicate,
  invalidField,
  required,
  requireOneOf,
  tooMany,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { validateIp } from '../../../api/validation/ip-addresses.ts';
import { changeObjects, fillAbsent } from '../../../api/validation/json-changes.ts';
import { isGiven, readText, readTexts } from '../../../api/validation/json-reading.ts';
import {
  validateDnsLabel,
  validateDnsSubdomain,
  validateQualifiedName,
} from '../../../api/validation/names.ts';

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const ENDPOINTS_MAX = 1000;
const ADDRESSES_MAX = 100;
const PORTS_MAX = 20_000;
const SHOWN_MAX = 3;

export const endpointSlices = plainKind('discovery.k8s.io/v1', {
  kind: 'EndpointSlice',
  resource: 'endpointslices',
  rules: {
    applyDefaults: (object) =>
      changeObjects(object, 'ports', (port) => fillAbsent(port, { name: '', protocol: 'TCP' })),
    prepareForCreate: startGenerations,
    validate: (object) => [...checkSlice(object), ...checkEndpoints(object)],
    validateUpdate: (object, old) => [
      ...checkSlice(object),
      ...(jsonEqual(object['endpoints'] ?? null, old['endpoints'] ?? null)
        ? []
        : checkEndpoints(object)),
      ...validateUnchanged(object, old, ['addressType']),
    ],
  },
  columns: [
    NAME,
    textColumn('AddressType', 'What its addresses are.', (object) => textAt(object, 'addressType')),
    textColumn('Ports', 'The ports at each address.', printPorts),
    textColumn('Endpoints', 'The addresses.', (object) => {
      const addresses = objectsAt(object, 'endpoints').flatMap((one) =>
        readTexts(one['addresses']),
      );
      return printFirst(addresses, SHOWN_MAX) || '<unset>';
    }),
    AGE,
  ],
});

function* checkSlice(object: JsonObject): FieldErrors {
  yield* requireOneOf('addressType', textAt(object, 'addressType'), ADDRESS_TYPES);
  const ports = objectsAt(object, 'ports');
  if (ports.length > PORTS_MAX) {
    yield tooMany('ports', ports.length, PORTS_MAX);
    return;
  }
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const path = `ports[${index}]`;
    const name = readText(port['name']);
    if (name !== '') yield* validateDnsLabel(name, `${path}.name`);
    if (names.has(name)) yield duplicate(`${path}.name`, name);
    names.add(name);
    yield* requireOneOf(`${path}.protocol`, readText(port['protocol']), PROTOCOLS);
    if (isGiven(port['appProtocol'])) {
      yield* validateQualifiedName(readText(port['appProtocol']), `${path}.appProtocol`);
    }
  }
}

function* checkEndpoints(object: JsonObject): FieldErrors {
  const endpoints = objectsAt(object, 'endpoints');
  if (endpoints.length > ENDPOINTS_MAX) {
    yield tooMany('endpoints', endpoints.length, ENDPOINTS_MAX);
    return;
  }
  const type = textAt(object, 'addressType');
  for (const [index, endpoint] of endpoints.entries()) {
    const path = `endpoints[${index}]`;
    yield* checkAddresses(readTexts(endpoint['addresses']), type, `${path}.addresses`);
    const [node, hostname] = [endpoint['nodeName'], endpoint['hostname']];
    if (isGiven(node)) yield* validateDnsSubdomain(readText(node), `${path}.nodeName`);
    if (isGiven(hostname)) yield* validateDnsLabel(readText(hostname), `${path}.hostname`);
  }
}

function* checkAddresses(addresses: readonly string[], type: string, path: string): FieldErrors {
  if (addresses.length === 0) yield required(path, 'must contain at least 1 address');
  if (addresses.length > ADDRESSES_MAX) yield tooMany(path, addresses.length, ADDRESSES_MAX);
  for (const [index, address] of addresses.entries()) {
    const field = `${path}[${index}]`;
    if (type === 'FQDN') yield* validateDnsSubdomain(address, field);
    if (type !== 'IPv4' && type !== 'IPv6') continue;
    const faults = [...validateIp(address, field)];
    yield* faults;
    const isOther = faults.length === 0 && `IPv${parseIp(address)?.family}` !== type;
    if (isOther) yield invalidField(path, address, `must be an ${type} address`);
  }
}

function printPorts(object: JsonObject): string {
  const ports = objectsAt(object, 'ports').map(({ port, name }) => {
    if (typeof port === 'number') return String(port);
    return isGiven(name) ? readText(name) : '*';
  });
  return printFirst(ports, SHOWN_MAX) || '<unset>';
}
