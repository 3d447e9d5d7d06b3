/**
 * Defines the kinds MutatingWebhookConfiguration and ValidatingWebhookConfiguration: their defaults and
 * validation.
 */
import type { JsonObject } from '../../../lib/json.ts';
import type { KindDefinition } from '../../objects/kind.ts';
import { integerColumn } from '../../objects/columns.ts';
import { objectsAt, structAt } from '../../objects/field-path.ts';
import { startGenerations } from '../lifecycle.ts';
import { AGE, NAME, plainKind } from '../../objects/plain-kind.ts';
import { validateOneOf } from '../required-fields.ts';
import {
  duplicate,
  invalidField,
  invalidFor,
  required,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { changeObject, changeObjects, fillAbsent } from '../../../api/validation/json-changes.ts';
import { isGiven, readText, readTexts } from '../../../api/validation/json-reading.ts';
import { checkDns1035Label } from '../../../api/dns-1035.ts';
import { checkDns1123Subdomain } from '../../../api/validation-names.ts';
import { validateLabelSelector } from '../../../api/validation/labels.ts';
import { checkMatchConditions } from './match-conditions.ts';
import { checkRule } from './admission-rules.ts';
import { checkWebhookService, checkWebhookUrl } from './webhook-client-config.ts';

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

function* checkWebhooks(object: JsonObject): FieldErrors {
  const names = new Set<string>();
  for (const [index, webhook] of objectsAt(object, 'webhooks').entries()) {
    const path = `webhooks[${index}]`;
    const name = readText(webhook['name']);
    yield* checkWebhook(webhook, path);
    if (names.has(name)) yield duplicate(`${path}.name`, name);
    names.add(name);
  }
}

function* checkWebhook(webhook: JsonObject, path: string): FieldErrors {
  yield* checkQualifiedDomain(readText(webhook['name']), `${path}.name`);
  const { sideEffects, timeoutSeconds } = webhook;
  for (const [index, rule] of objectsAt(webhook, 'rules').entries()) {
    yield* checkRule(rule, `${path}.rules[${index}]`);
  }
  yield* prefixed(path, validateOneOf(webhook, 'failurePolicy', ['Fail', 'Ignore']));
  yield* prefixed(path, validateOneOf(webhook, 'matchPolicy', ['Equivalent', 'Exact']));
  if (isGiven(sideEffects)) {
    yield* prefixed(path, validateOneOf(webhook, 'sideEffects', ['None', 'NoneOnDryRun']));
  } else {
    yield required(`${path}.sideEffects`, 'must specify one of None, NoneOnDryRun');
  }
  if (typeof timeoutSeconds === 'number' && !isInRange(timeoutSeconds)) {
    const detail = 'the timeout value must be between 1 and 30 seconds';
    yield invalidField(`${path}.timeoutSeconds`, timeoutSeconds, detail);
  }
  for (const name of ['namespaceSelector', 'objectSelector']) {
    yield* validateLabelSelector(structAt(webhook, name), `${path}.${name}`);
  }
  yield* prefixed(path, validateOneOf(webhook, 'reinvocationPolicy', ['Never', 'IfNeeded']));
  yield* checkClient(structAt(webhook, 'clientConfig'), `${path}.clientConfig`);
  yield* checkMatchConditions(objectsAt(webhook, 'matchConditions'), `${path}.matchConditions`, {
    hasParams: false,
    hasAuthorizer: true,
  });
  yield* checkReviewVersions(webhook, `${path}.admissionReviewVersions`);
}

function* checkReviewVersions(webhook: JsonObject, path: string): FieldErrors {
  const versions = readTexts(webhook['admissionReviewVersions']);
  const known = 'v1, v1beta1';
  if (versions.length === 0) {
    yield required(path, `must specify one of ${known}`);
    return;
  }
  for (const [index, version] of versions.entries()) {
    const field = `${path}[${index}]`;
    if (versions.indexOf(version) < index) yield invalidField(field, version, 'duplicate version');
    else yield* invalidFor(field, version, checkDns1035Label(version));
  }
  if (!versions.some((one) => one === 'v1' || one === 'v1beta1')) {
    yield invalidField(path, versions, `must include at least one of ${known}`);
  }
}

function* prefixed(path: string, problems: FieldErrors): FieldErrors {
  for (const problem of problems) yield { ...problem, field: `${path}.${problem.field}` };
}

function isInRange(seconds: number): boolean {
  return seconds >= 1 && seconds <= TIMEOUT_SECONDS_MAX;
}

function* checkQualifiedDomain(name: string, field: string): FieldErrors {
  if (name === '') {
    yield required(field);
    return;
  }
  const sentences = checkDns1123Subdomain(name);
  yield* invalidFor(field, name, sentences);
  if (sentences.length === 0 && name.split('.').length < DOMAIN_PARTS_MIN) {
    yield invalidField(
      field,
      name,
      'should be a domain with at least three segments separated by dots',
    );
  }
}

/** Exactly one of a URL and a Service. */
function* checkClient(config: JsonObject, path: string): FieldErrors {
  const hasUrl = isGiven(config['url']);
  const hasService = isGiven(config['service']);
  if (hasUrl === hasService) {
    yield required(path, 'exactly one of url or service is required');
    return;
  }
  if (hasUrl) yield* checkWebhookUrl(readText(config['url']), `${path}.url`);
  else yield* checkWebhookService(structAt(config, 'service'), `${path}.service`);
}
