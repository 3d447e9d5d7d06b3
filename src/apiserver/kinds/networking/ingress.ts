/** Defines the kind Ingress: its defaults, validation and columns. */
import { checkDns1123Label, checkDns1123Subdomain } from '../../../api/validation-names.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { textColumn } from '../../objects/columns.ts';
import { numberAt, objectsAt, structAt, textAt } from '../../objects/field-path.ts';
import { startWithoutStatus } from '../lifecycle.ts';
import { AGE, NAME, plainKind, statusSubresource } from '../../objects/plain-kind.ts';
import { printBalancers } from './service.ts';
import {
  invalidField,
  invalidFor,
  required,
  unsupported,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { isGiven, readObject, readText } from '../../../api/validation/json-reading.ts';
import { checkPortName, checkPortNumber } from '../../../api/validation/names.ts';

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];
const BAD_SEQUENCES = ['//', '/./', '/../', '%2f', '%2F'];
const BAD_ENDS = ['/..', '/.'];
const SHOWN_MAX = 3;

export const ingresses = plainKind('networking.k8s.io/v1', {
  kind: 'Ingress',
  resource: 'ingresses',
  shortNames: ['ing'],
  subresources: [statusSubresource('Ingress')],
  rules: {
    prepareForCreate: startWithoutStatus,
    validate: (object) => [...checkSpec(structAt(object, 'spec'))],
    validateUpdate: (object) => [...checkSpec(structAt(object, 'spec'))],
  },
  columns: [
    NAME,
    textColumn('Class', 'Who serves it.', (object) => {
      return textAt(object, 'spec.ingressClassName') || '<none>';
    }),
    textColumn('Hosts', 'The names that it is for.', printHosts),
    textColumn('Address', 'Where it can be reached.', (object) => printBalancers(object).join(',')),
    textColumn('Ports', 'The ports that it listens on.', (object) =>
      objectsAt(object, 'spec.tls').length > 0 ? '80, 443' : '80',
    ),
    AGE,
  ],
});

function* checkSpec(spec: JsonObject): FieldErrors {
  const rules = objectsAt(spec, 'rules');
  const fallback = readObject(spec['defaultBackend']);
  if (!fallback && rules.length === 0) {
    yield invalidField('spec', null, 'either `defaultBackend` or `rules` must be specified');
  }
  if (fallback) yield* checkBackend(fallback, 'spec.defaultBackend');
  for (const [index, rule] of rules.entries()) yield* checkRule(rule, `spec.rules[${index}]`);
  const { ingressClassName: name } = spec;
  if (!isGiven(name)) return;
  yield* invalidFor('spec.ingressClassName', name, checkDns1123Subdomain(readText(name)));
}

function* checkRule(rule: JsonObject, path: string): FieldErrors {
  const host = readText(rule['host']);
  if (host !== '') {
    const checked = host.replace(/^\*\./, '');
    yield* invalidFor(`${path}.host`, host, checkDns1123Subdomain(checked));
  }
  const http = readObject(rule['http']);
  if (!http) return;
  const paths = objectsAt(http, 'paths');
  if (paths.length === 0) yield required(`${path}.http.paths`);
  for (const [index, one] of paths.entries()) yield* checkPath(one, `${path}.http.paths[${index}]`);
}

function* checkPath(one: JsonObject, at: string): FieldErrors {
  if (!isGiven(one['pathType'])) {
    yield required(`${at}.pathType`, 'pathType must be specified');
    return;
  }
  const [type, path] = [readText(one['pathType']), readText(one['path'])];
  if (!PATH_TYPES.includes(type)) yield unsupported(`${at}.pathType`, type, PATH_TYPES);
  else if (type === 'ImplementationSpecific') {
    if (path !== '' && !path.startsWith('/')) {
      yield invalidField(`${at}.path`, path, 'must be an absolute path');
    }
  } else yield* checkPlainPath(path, `${at}.path`);
  yield* checkBackend(structAt(one, 'backend'), `${at}.backend`);
}

function* checkPlainPath(path: string, field: string): FieldErrors {
  if (!path.startsWith('/')) yield invalidField(field, path, 'must be an absolute path');
  for (const bad of BAD_SEQUENCES) {
    if (path.includes(bad)) yield invalidField(field, path, `must not contain '${bad}'`);
  }
  for (const bad of BAD_ENDS) {
    if (path.endsWith(bad)) yield invalidField(field, path, `cannot end with '${bad}'`);
  }
}

function* checkBackend(backend: JsonObject, path: string): FieldErrors {
  const service = readObject(backend['service']);
  const hasResource = isGiven(backend['resource']);
  if (hasResource && service) {
    yield invalidField(path, '', 'cannot set both resource and service backends');
  } else if (service) yield* checkServiceBackend(service, path);
  else if (!hasResource) yield invalidField(path, '', 'resource or service backend is required');
}

function* checkServiceBackend(service: JsonObject, path: string): FieldErrors {
  const name = readText(service['name']);
  if (name === '') yield required(`${path}.service.name`);
  else yield* invalidFor(`${path}.service.name`, name, checkDns1123Label(name));
  const [portName, port] = [textAt(service, 'port.name'), numberAt(service, 'port.number')];
  const field = `${path}.service.port`;
  if (portName !== '' && port !== 0) {
    yield invalidField(path, '', 'cannot set both port name & port number');
  } else if (portName !== '') yield* invalidFor(`${field}.name`, portName, checkPortName(portName));
  else if (port !== 0) yield* invalidFor(`${field}.number`, port, checkPortNumber(port));
  else yield required(path, 'port name or number is required');
}

function printHosts(object: JsonObject): string {
  const rules = objectsAt(object, 'spec.rules');
  const hosts = rules.map(({ host }) => readText(host)).filter((host) => host !== '');
  if (hosts.length === 0) return '*';
  const shown = hosts.slice(0, SHOWN_MAX).join(',');
  return hosts.length > SHOWN_MAX ? `${shown} + ${rules.length - SHOWN_MAX} more...` : shown;
}
