/** Defines the kind NetworkPolicy: its defaults, validation and columns. */
import type { JsonObject } from '../../../lib/json.ts';
import { parseIp } from '../../../lib/ip.ts';
import { printSelector, textColumn } from '../../objects/columns.ts';
import { changeStructAt, objectsAt, structAt, valueAt } from '../../objects/field-path.ts';
import { startGenerations } from '../lifecycle.ts';
import { AGE, NAME, plainKind } from '../../objects/plain-kind.ts';
import {
  forbiddenField,
  invalidField,
  invalidFor,
  required,
  unsupported,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { changeObjects, fillAbsent, withField } from '../../../api/validation/json-changes.ts';
import {
  isGiven,
  readNumber,
  readObject,
  readText,
  readTexts,
} from '../../../api/validation/json-reading.ts';
import { validateLabelSelector } from '../../../api/validation/labels.ts';
import { checkPortName, checkPortNumber } from '../../../api/validation/names.ts';

const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const TYPES = ['Ingress', 'Egress'];
const DIRECTIONS = [
  ['ingress', 'from'],
  ['egress', 'to'],
] as const;

export const networkPolicies = plainKind('networking.k8s.io/v1', {
  kind: 'NetworkPolicy',
  resource: 'networkpolicies',
  shortNames: ['netpol'],
  rules: {
    applyDefaults: (object) => changeStructAt(object, 'spec', defaultSpec),
    prepareForCreate: startGenerations,
    validate: (object) => [...checkSpec(structAt(object, 'spec'))],
    validateUpdate: (object) => [...checkSpec(structAt(object, 'spec'))],
  },
  columns: [
    NAME,
    textColumn('Pod-Selector', 'The labels of the pods that it protects.', (object) =>
      printSelector(valueAt(object, 'spec.podSelector')),
    ),
    AGE,
  ],
});

function defaultSpec(spec: JsonObject): JsonObject {
  let next = spec;
  for (const [direction] of DIRECTIONS) {
    next = changeObjects(next, direction, (rule) =>
      changeObjects(rule, 'ports', (port) => fillAbsent(port, { protocol: 'TCP' })),
    );
  }
  if (readTexts(next['policyTypes']).length > 0) return next;
  const hasEgress = objectsAt(next, 'egress').length > 0;
  return withField(next, 'policyTypes', hasEgress ? TYPES : ['Ingress']);
}

function* checkSpec(spec: JsonObject): FieldErrors {
  yield* validateLabelSelector(spec['podSelector'], 'spec.podSelector');
  for (const [direction, peers] of DIRECTIONS) {
    for (const [index, rule] of objectsAt(spec, direction).entries()) {
      const path = `spec.${direction}[${index}]`;
      for (const [at, port] of objectsAt(rule, 'ports').entries()) {
        yield* checkPort(port, `${path}.ports[${at}]`);
      }
      for (const [at, peer] of objectsAt(rule, peers).entries()) {
        yield* checkPeer(peer, `${path}.${peers}[${at}]`);
      }
    }
  }
  const types = readTexts(spec['policyTypes']);
  if (types.length > TYPES.length) {
    yield invalidField('spec.policyTypes', types, 'may not specify more than two policyTypes');
    return;
  }
  for (const [index, type] of types.entries()) {
    if (!TYPES.includes(type)) yield unsupported(`spec.policyTypes[${index}]`, type, TYPES);
  }
}

function* checkPort({ protocol, port, endPort }: JsonObject, path: string): FieldErrors {
  if (isGiven(protocol) && !PROTOCOLS.includes(readText(protocol))) {
    yield unsupported(`${path}.protocol`, protocol, PROTOCOLS);
  }
  const field = `${path}.endPort`;
  if (!isGiven(port)) {
    if (isGiven(endPort)) {
      yield invalidField(field, endPort, 'may not be specified when `port` is not specified');
    }
  } else if (typeof port === 'string') {
    if (isGiven(endPort)) {
      yield invalidField(field, endPort, 'may not be specified when `port` is non-numeric');
    }
    yield* invalidFor(`${path}.port`, port, checkPortName(port));
  } else yield* checkPortRange(readNumber(port), endPort, path);
}

function* checkPortRange(port: number, endPort: unknown, path: string): FieldErrors {
  yield* invalidFor(`${path}.port`, port, checkPortNumber(port));
  if (typeof endPort !== 'number') return;
  if (endPort < port) {
    yield invalidField(`${path}.endPort`, port, 'must be greater than or equal to `port`');
  }
  yield* invalidFor(`${path}.endPort`, endPort, checkPortNumber(endPort));
}

function* checkPeer(peer: JsonObject, path: string): FieldErrors {
  const { podSelector, namespaceSelector } = peer;
  const block = readObject(peer['ipBlock']);
  yield* validateLabelSelector(podSelector, `${path}.podSelector`);
  yield* validateLabelSelector(namespaceSelector, `${path}.namespaceSelector`);
  if (block) yield* checkBlock(block, `${path}.ipBlock`);
  const hasSelector = isGiven(podSelector) || isGiven(namespaceSelector);
  if (!hasSelector && !block) yield required(path, 'must specify a peer');
  if (hasSelector && block)
    yield forbiddenField(path, 'may not specify both ipBlock and another peer');
}

function* checkBlock(block: JsonObject, path: string): FieldErrors {
  const cidr = readText(block['cidr']);
  if (cidr === '') yield required(`${path}.cidr`);
  else yield* checkCidr(cidr, `${path}.cidr`);
  for (const [index, except] of readTexts(block['except']).entries()) {
    yield* checkCidr(except, `${path}.except[${index}]`);
  }
}

function* checkCidr(cidr: string, field: string): FieldErrors {
  const [address = '', length = '', ...rest] = cidr.split('/');
  const bits = parseIp(address)?.family === 6 ? 128 : 32;
  const isCidr = rest.length === 0 && /^\d{1,3}$/.test(length) && Number(length) <= bits;
  if (parseIp(address) && isCidr) return;
  yield invalidField(
    field,
    cidr,
    'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
  );
}
