/** Webhook configurations: whom the API server asks before it accepts something. */
import type { JsonObject } from '../../lib/json.ts';
import type { KindDefinition } from '../kind.ts';
import { integerColumn } from './columns.ts';
import { objectsAt, structAt } from './field-path.ts';
import { startGenerations } from './lifecycle.ts';
import { AGE, NAME, plainKind } from './plain-kind.ts';
import { validateOneOf } from './required-fields.ts';
import {
  duplicate,
  invalid,
  invalidFor,
  required,
  type Complaints,
} from './validation/complaint.ts';
import { changeObject, changeObjects, fillAbsent } from './validation/json-changes.ts';
import { isGiven, readText, readTexts } from './validation/json-reading.ts';
import { checkDns1123Subdomain } from '../../api/validation-names.ts';

const TIMEOUT_SECONDS = 10;
const TIMEOUT_SECONDS_MAX = 30;
const PORT = 443;
const DOMAIN_PARTS_MIN = 3;

export const mutatingWebhookConfigurations = webhooks('Mutating', { reinvocationPolicy: 'Never' });
export const validatingWebhookConfigurations = webhooks('Validating', {});

function webhooks(prefix: 'Mutating' | 'Validating', more: JsonObject): KindDefinition {
  return plainKind('admissionregistration.k8s.io/v1', {
    kind: `${prefix}WebhookConfiguration`,
    resource: `${prefix.toLowerCase()}webhookconfigurations`,
    categories: ['api-extensions'],
    rules: {
      versionRequired: true,
      applyDefaults: (object) =>
        changeObjects(object, 'webhooks', (webhook) => fillAbsent(defaultWebhook(webhook), more)),
      prepareForCreate: startGenerations,
      validate: (object) => [...checkWebhooks(object)],
      validateUpdate: (object) => [...checkWebhooks(object)],
    },
    columns: [
      NAME,
      integerColumn(
        'Webhooks',
        'How many are asked.',
        (object) => objectsAt(object, 'webhooks').length,
      ),
      AGE,
    ],
  });
}

function defaultWebhook(webhook: JsonObject): JsonObject {
  const filled = fillAbsent(webhook, {
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: TIMEOUT_SECONDS,
  });
  const scoped = changeObjects(filled, 'rules', (rule) => fillAbsent(rule, { scope: '*' }));
  return changeObject(scoped, 'clientConfig', (config) =>
    changeObject(config, 'service', (service) => fillAbsent(service, { port: PORT })),
  );
}

function* checkWebhooks(object: JsonObject): Complaints {
  const names = new Set<string>();
  for (const [index, webhook] of objectsAt(object, 'webhooks').entries()) {
    const path = `webhooks[${index}]`;
    const name = readText(webhook['name']);
    yield* checkWebhook(webhook, path);
    if (names.has(name)) yield duplicate(`${path}.name`, name);
    names.add(name);
  }
}

function* checkWebhook(webhook: JsonObject, path: string): Complaints {
  yield* checkQualifiedDomain(readText(webhook['name']), `${path}.name`);
  const { sideEffects, admissionReviewVersions, timeoutSeconds } = webhook;
  yield* prefixed(path, validateOneOf(webhook, 'failurePolicy', ['Fail', 'Ignore']));
  yield* prefixed(path, validateOneOf(webhook, 'matchPolicy', ['Equivalent', 'Exact']));
  if (isGiven(sideEffects)) {
    yield* prefixed(path, validateOneOf(webhook, 'sideEffects', ['None', 'NoneOnDryRun']));
  } else {
    yield required(`${path}.sideEffects`, 'must specify one of None, NoneOnDryRun');
  }
  if (typeof timeoutSeconds === 'number' && !isInRange(timeoutSeconds)) {
    const detail = 'the timeout value must be between 1 and 30 seconds';
    yield invalid(`${path}.timeoutSeconds`, timeoutSeconds, detail);
  }
  if (readTexts(admissionReviewVersions).length === 0) {
    const detail = 'must specify one of v1, v1beta1';
    yield required(`${path}.admissionReviewVersions`, detail);
  }
  yield* checkClient(structAt(webhook, 'clientConfig'), `${path}.clientConfig`);
}

function* prefixed(path: string, complaints: Complaints): Complaints {
  for (const complaint of complaints) yield { ...complaint, field: `${path}.${complaint.field}` };
}

function isInRange(seconds: number): boolean {
  return seconds >= 1 && seconds <= TIMEOUT_SECONDS_MAX;
}

function* checkQualifiedDomain(name: string, field: string): Complaints {
  if (name === '') {
    yield required(field);
    return;
  }
  const sentences = checkDns1123Subdomain(name);
  yield* invalidFor(field, name, sentences);
  if (sentences.length === 0 && name.split('.').length < DOMAIN_PARTS_MIN) {
    yield invalid(field, name, 'should be a domain with at least three segments separated by dots');
  }
}

/** Either a URL, or a service of the cluster. */
function* checkClient(config: JsonObject, path: string): Complaints {
  const hasUrl = isGiven(config['url']);
  const hasService = isGiven(config['service']);
  if (hasUrl === hasService) yield required(path, 'exactly one of url or service is required');
  if (!hasService) return;
  for (const name of ['name', 'namespace'] as const) {
    const value = structAt(config, 'service')[name];
    const what = name === 'name' ? 'service name' : 'service namespace';
    if (readText(value) === '') yield required(`${path}.service.${name}`, `${what} is required`);
  }
}
