/** Defines the kind IngressClass: its validation and columns. */
import { checkDns1123Subdomain } from '../../../api/validation-names.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { metadataOf, nameOf } from '../../objects/metadata.ts';
import { textColumn } from '../../objects/columns.ts';
import { changeGivenAt, structAt, textAt, valueAt } from '../../objects/field-path.ts';
import { startGenerations } from '../lifecycle.ts';
import { validateUnchanged } from '../number-rules.ts';
import { AGE, NAME, plainKind } from '../../objects/plain-kind.ts';
import {
  forbiddenField,
  invalidField,
  invalidFor,
  required,
  tooLong,
  unsupported,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { fillAbsent } from '../../../api/validation/json-changes.ts';
import {
  isGiven,
  readObject,
  readText,
  readTextMap,
} from '../../../api/validation/json-reading.ts';

const CONTROLLER = 'spec.controller';
const CONTROLLER_LENGTH_MAX = 250;
const DEFAULT_ANNOTATION = 'ingressclass.kubernetes.io/is-default-class';
const SCOPES = ['Cluster', 'Namespace'];

export const ingressClasses = plainKind('networking.k8s.io/v1', {
  kind: 'IngressClass',
  resource: 'ingressclasses',
  rules: {
    applyDefaults: (object) =>
      changeGivenAt(object, 'spec.parameters', (parameters) =>
        fillAbsent(parameters, { scope: 'Cluster' }),
      ),
    prepareForCreate: startGenerations,
    validate: (object) => [...checkSpec(object)],
    validateUpdate: (object, old) => [
      ...validateUnchanged(object, old, [CONTROLLER]),
      ...checkSpec(object),
    ],
  },
  columns: [
    { ...NAME, cell: (object) => withDefaultMark(object, DEFAULT_ANNOTATION) },
    textColumn('Controller', 'The program that serves it.', (object) => textAt(object, CONTROLLER)),
    textColumn('Parameters', 'Where its settings are.', printParameters),
    AGE,
  ],
});

/** The name, followed by `(default)` for the default class. */
export function withDefaultMark(object: JsonObject, annotation: string): string {
  const isDefault = readTextMap(metadataOf(object)['annotations']).get(annotation) === 'true';
  return isDefault ? `${nameOf(object)} (default)` : nameOf(object);
}

function* checkSpec(object: JsonObject): FieldErrors {
  const controller = textAt(object, CONTROLLER);
  if (controller.length > CONTROLLER_LENGTH_MAX) yield tooLong(CONTROLLER, CONTROLLER_LENGTH_MAX);
  yield* checkDomainPath(controller, CONTROLLER);
  if (readObject(valueAt(object, 'spec.parameters'))) {
    yield* checkParameters(structAt(object, 'spec.parameters'), 'spec.parameters');
  }
}

/** `example.com/name`. */
function* checkDomainPath(value: string, field: string): FieldErrors {
  if (value === '') {
    yield required(field);
    return;
  }
  const [domain = '', ...path] = value.split('/');
  if (domain === '' || path.join('/') === '') {
    const detail = 'must be a domain-prefixed path (such as "acme.io/foo")';
    yield invalidField(field, value, detail);
    return;
  }
  yield* invalidFor(field, domain, checkDns1123Subdomain(domain));
}

function* checkParameters(parameters: JsonObject, path: string): FieldErrors {
  for (const name of ['kind', 'name'] as const) {
    if (readText(parameters[name]) === '') yield required(`${path}.${name}`);
  }
  const [scope, namespace] = [readText(parameters['scope']), parameters['namespace']];
  if (!SCOPES.includes(scope)) yield unsupported(`${path}.scope`, scope, SCOPES);
  if (scope === 'Namespace' && readText(namespace) === '') {
    const detail = "`parameters.scope` is set to 'Namespace'";
    yield required(`${path}.namespace`, detail);
  } else if (scope === 'Cluster' && isGiven(namespace)) {
    yield forbiddenField(`${path}.namespace`, "`parameters.scope` is set to 'Cluster'");
  }
}

function printParameters(object: JsonObject): string {
  const parameters = readObject(valueAt(object, 'spec.parameters'));
  if (!parameters) return '<none>';
  const kind = readText(parameters['kind']);
  const { apiGroup } = parameters;
  const full = isGiven(apiGroup) ? `${kind}.${readText(apiGroup)}` : kind;
  return `${full}/${readText(parameters['name'])}`;
}
