/** Validates Services: ports, names, and which fields each type allows. */
import { checkDns1123Subdomain } from '../../../api/validation-names.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { objectsAt, structAt, textAt, valueAt } from '../../objects/field-path.ts';
import { validatePortReference } from '../../../api/pod-validation/containers/ports.ts';
import {
  duplicate,
  invalidField,
  invalidFor,
  required,
  requireOneOf,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { validateIp } from '../../../api/validation/ip-addresses.ts';
import { isGiven, readNumber, readText, readTexts } from '../../../api/validation/json-reading.ts';
import { validateLabels } from '../../../api/validation/labels.ts';
import {
  checkPortNumber,
  validateDnsLabel,
  validateQualifiedName,
} from '../../../api/validation/names.ts';

const AFFINITIES = ['ClientIP', 'None'];
const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const AFFINITY_SECONDS_MAX = 86_400;

export function* validateService(object: JsonObject, old?: JsonObject): FieldErrors {
  const spec = structAt(object, 'spec');
  const type = readText(spec['type']);
  const isHeadless = readText(spec['clusterIP']) === 'None';
  const ports = objectsAt(spec, 'ports');
  if (ports.length === 0 && !isHeadless && type !== 'ExternalName') yield required('spec.ports');
  if (isHeadless && type !== 'ClusterIP' && type !== 'ExternalName') {
    const detail = `may not be set to 'None' for ${type} services`;
    yield invalidField('spec.clusterIPs[0]', 'None', detail);
  }
  yield* validateClusterIps(spec, old && structAt(old, 'spec'));
  yield* validateExternalName(spec, type);
  yield* validatePorts(ports);
  yield* validateLabels(spec['selector'], 'spec.selector');
  yield* requireOneOf('spec.sessionAffinity', readText(spec['sessionAffinity']), AFFINITIES);
  yield* validateAffinitySeconds(spec);
  for (const [index, address] of readTexts(spec['externalIPs']).entries()) {
    yield* validateIp(address, `spec.externalIPs[${index}]`);
  }
  yield* requireOneOf('spec.type', type, TYPES);
  yield* validateSamePorts(ports);
  if (old) yield* validateSameAddress(object, old);
}

/** clusterIP must equal the first of clusterIPs. Invalid forms that the old object had are allowed. */
function* validateClusterIps(spec: JsonObject, old: JsonObject | undefined): FieldErrors {
  const field = 'spec.clusterIPs';
  const [alone, listed] = [readText(spec['clusterIP']), readTexts(spec['clusterIPs'])];
  if (listed.length === 0) return;
  if (alone === '') {
    yield invalidField(field, listed, 'must be empty when `clusterIP` is not specified');
  } else if (listed[0] !== alone) {
    yield invalidField(field, listed, 'first value must match `clusterIP`');
  }
  for (const [index, address] of listed.entries()) {
    if (address === 'None') continue;
    yield* validateIp(address, `${field}[${index}]`, readTexts(old?.['clusterIPs']));
  }
}

function* validateExternalName(spec: JsonObject, type: string): FieldErrors {
  if (type !== 'ExternalName') return;
  const field = 'spec.externalName';
  const name = readText(spec['externalName']).replace(/\.$/, '');
  if (name === '') yield required(field);
  else yield* invalidFor(field, name, checkDns1123Subdomain(name));
}

function* validatePorts(ports: readonly JsonObject[]): FieldErrors {
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const path = `spec.ports[${index}]`;
    const name = readText(port['name']);
    if (name === '' && ports.length > 1) yield required(`${path}.name`);
    if (name !== '') {
      yield* validateDnsLabel(name, `${path}.name`);
      if (names.has(name)) yield duplicate(`${path}.name`, name);
      names.add(name);
    }
    const number = readNumber(port['port']);
    yield* invalidFor(`${path}.port`, number, checkPortNumber(number));
    yield* requireOneOf(`${path}.protocol`, readText(port['protocol']), PROTOCOLS);
    yield* validatePortReference(port['targetPort'], `${path}.targetPort`);
    if (isGiven(port['appProtocol'])) {
      yield* validateQualifiedName(readText(port['appProtocol']), `${path}.appProtocol`);
    }
  }
}

function* validateAffinitySeconds(spec: JsonObject): FieldErrors {
  if (spec['sessionAffinity'] !== 'ClientIP') return;
  const field = 'sessionAffinityConfig.clientIP.timeoutSeconds';
  const seconds = valueAt(spec, field);
  if (typeof seconds !== 'number' || (seconds > 0 && seconds <= AFFINITY_SECONDS_MAX)) return;
  const detail = `must be greater than 0 and less than ${AFFINITY_SECONDS_MAX}`;
  yield invalidField(`spec.${field}`, seconds, detail);
}

/** Two ports with the same number must have different protocols. */
function* validateSamePorts(ports: readonly JsonObject[]): FieldErrors {
  const seen = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const [protocol, number] = [readText(port['protocol']), readNumber(port['port'])];
    const key = `${protocol}/${number}`;
    if (seen.has(key)) yield duplicate(`spec.ports[${index}]`, keyInGo(protocol, number));
    seen.add(key);
  }
}

/** The struct that the API compares and prints: a port with only these two fields, under Go's names. */
function keyInGo(protocol: string, port: number): JsonObject {
  return {
    Name: '',
    Protocol: protocol,
    AppProtocol: null,
    Port: port,
    TargetPort: 0,
    NodePort: 0,
  };
}

/** The cluster IP is immutable while the type of the Service has one. */
function* validateSameAddress(object: JsonObject, old: JsonObject): FieldErrors {
  const [before, now] = [textAt(old, 'spec.clusterIP'), textAt(object, 'spec.clusterIP')];
  const isExternal = [object, old].some((one) => textAt(one, 'spec.type') === 'ExternalName');
  if (isExternal || before === '' || before === now) return;
  yield invalidField('spec.clusterIPs[0]', [now], 'may not change once set');
}
