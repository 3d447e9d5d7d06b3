/** Defines the kind Endpoints, the predecessor of EndpointSlice: its validation and columns. */
import { jsonEqual } from '../../../api/values/json-equal.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { FieldError } from '../../../api/validation/field-error.ts';
import { printFirst, textColumn } from '../../objects/columns.ts';
import { objectsAt, textAt } from '../../objects/field-path.ts';
import { AGE, NAME, plainKind } from '../../objects/plain-kind.ts';
import {
  invalidFor,
  required,
  requireOneOf,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { validateIp } from '../../../api/validation/ip-addresses.ts';
import { changeObjects, fillEmpty } from '../../../api/validation/json-changes.ts';
import { readNumber, readText } from '../../../api/validation/json-reading.ts';
import {
  checkPortNumber,
  validateDnsLabel,
  validateDnsSubdomain,
} from '../../../api/validation/names.ts';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const SHOWN_MAX = 3;
const DEPRECATED = 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice';

export const endpoints = plainKind('v1', {
  kind: 'Endpoints',
  resource: 'endpoints',
  shortNames: ['ep'],
  warning: DEPRECATED,
  rules: {
    createsOnUpdate: true,
    applyDefaults: (object) =>
      changeObjects(object, 'subsets', (subset) =>
        changeObjects(subset, 'ports', (port) => fillEmpty(port, { protocol: 'TCP' })),
      ),
    validate: (object) => [...checkSubsets(object)],
    validateUpdate,
  },
  columns: [NAME, textColumn('Endpoints', 'Addresses with ports.', printEndpoints), AGE],
});

function validateUpdate(object: JsonObject, old: JsonObject): readonly FieldError[] {
  if (jsonEqual(object['subsets'] ?? null, old['subsets'] ?? null)) return [];
  return [...checkSubsets(object)];
}

function* checkSubsets(object: JsonObject): FieldErrors {
  for (const [index, subset] of objectsAt(object, 'subsets').entries()) {
    const path = `subsets[${index}]`;
    const lists = ['addresses', 'notReadyAddresses'] as const;
    if (lists.every((list) => objectsAt(subset, list).length === 0)) {
      yield required(path, 'must specify `addresses` or `notReadyAddresses`');
    }
    for (const list of lists) {
      for (const [at, address] of objectsAt(subset, list).entries()) {
        yield* checkAddress(address, `${path}.${list}[${at}]`);
      }
    }
    const ports = objectsAt(subset, 'ports');
    for (const [at, port] of ports.entries()) {
      yield* checkPort(port, `${path}.ports[${at}]`, ports.length > 1);
    }
  }
}

function* checkAddress(address: JsonObject, path: string): FieldErrors {
  yield* validateIp(readText(address['ip']), `${path}.ip`);
  const [hostname, node] = [readText(address['hostname']), readText(address['nodeName'])];
  if (hostname !== '') yield* validateDnsLabel(hostname, `${path}.hostname`);
  if (node !== '') yield* validateDnsSubdomain(node, `${path}.nodeName`);
}

function* checkPort(port: JsonObject, path: string, needsName: boolean): FieldErrors {
  const name = readText(port['name']);
  if (name !== '') yield* validateDnsLabel(name, `${path}.name`);
  else if (needsName) yield required(`${path}.name`);
  const number = readNumber(port['port']);
  yield* invalidFor(`${path}.port`, number, checkPortNumber(number));
  yield* requireOneOf(`${path}.protocol`, readText(port['protocol']), PROTOCOLS);
}

function printEndpoints(object: JsonObject): string {
  const subsets = objectsAt(object, 'subsets');
  if (subsets.length === 0) return '<none>';
  const all = subsets.flatMap((subset) => {
    const addresses = objectsAt(subset, 'addresses').map((address) => textAt(address, 'ip'));
    const ports = objectsAt(subset, 'ports').map((port) => readNumber(port['port']));
    if (ports.length === 0) return addresses;
    return ports.flatMap((port) => addresses.map((address) => joinHostPort(address, port)));
  });
  return printFirst(all, SHOWN_MAX);
}

function joinHostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
