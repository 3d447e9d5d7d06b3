/** Validates `spec.conversion` of a CustomResourceDefinition: None, or Webhook. */
import type { JsonObject } from '../../../lib/json.ts';
import {
  forbiddenField,
  invalidField,
  required,
  requireOneOf,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { checkPortNumber } from '../../../api/validation/names.ts';
import {
  readNumber,
  readObject,
  readStruct,
  readText,
  readTexts,
} from '../../../api/validation/json-reading.ts';
import { checkDns1035Label } from '../../../api/dns-1035.ts';
import { readCaBundle } from '../../decode/ca-bundle.ts';
import { textAt } from '../../objects/field-path.ts';
import { conditionOf } from '../crd.ts';

const PLACE = 'spec.conversion';
const CLIENT = `${PLACE}.webhookClientConfig`;
const REVIEWS = `${PLACE}.conversionReviewVersions`;
const FORM = '; desired format: https://host[/path]';
const KNOWN_REVIEWS = ['v1', 'v1beta1'];

/** `mayKeepBundle`: a bundle without a certificate is accepted (mayHaveInvalidBundle). */
export function* validateConversion(spec: JsonObject, mayKeepBundle: boolean): FieldErrors {
  const conversion = readObject(spec['conversion']);
  if (!conversion) return;
  const strategy = readText(conversion['strategy']);
  const isPreserving = spec['preserveUnknownFields'] === true;
  if (strategy !== 'None' && isPreserving) {
    const detail = 'must be None if spec.preserveUnknownFields is true';
    yield invalidField(`${PLACE}.strategy`, strategy, detail);
  }
  yield* requireOneOf(`${PLACE}.strategy`, strategy, ['None', 'Webhook']);
  const webhook = readStruct(conversion['webhook']);
  const config = readObject(webhook['clientConfig']);
  const reviews = readTexts(webhook['conversionReviewVersions']);
  if (strategy === 'Webhook') {
    yield* validateClient(config);
    if (config && !mayKeepBundle) yield* validateBundle(config);
    yield* validateReviews(reviews);
    return;
  }
  const detail = 'should not be set when strategy is not set to Webhook';
  if (config) yield forbiddenField(CLIENT, detail);
  if (reviews.length > 0) yield forbiddenField(REVIEWS, detail);
}

function* validateClient(config: JsonObject | undefined): FieldErrors {
  if (!config) {
    yield required(CLIENT, 'required when strategy is set to Webhook');
    return;
  }
  const { url, service } = config;
  if ((url === undefined) === (service === undefined)) {
    yield required(CLIENT, 'exactly one of url or service is required');
  } else if (url !== undefined) {
    yield* validateUrl(readText(url));
  } else {
    yield* validateService(readStruct(service));
  }
}

function* validateBundle(config: JsonObject): FieldErrors {
  const fault = caBundleFault(readText(config['caBundle']));
  if (fault === undefined) return;
  yield invalidField(`${CLIENT}.caBundle`, readText(config['caBundle']), fault);
}

/**
 * Some programs create a definition with a placeholder and write the bundle later: an invalid one is accepted until
 * the definition is established, and stays where it was.
 */
export function mayHaveInvalidBundle(old: JsonObject | undefined): boolean {
  if (!old || conditionOf(old, 'Established')?.['status'] !== 'True') return true;
  return caBundleFault(caBundleIn(old)) !== undefined;
}

/** The bundle of a definition's conversion webhook, in base64; empty: it has none. */
export function caBundleIn(definition: JsonObject): string {
  return textAt(definition, 'spec.conversion.webhook.clientConfig.caBundle');
}

/** What is wrong with a bundle; undefined: nothing. */
export function caBundleFault(encoded: string): string | undefined {
  if (encoded === '') return undefined;
  try {
    readCaBundle(encoded);
    return undefined;
  } catch (error) {
    if (error instanceof Error) return error.message;
    throw error;
  }
}

function* validateUrl(text: string): FieldErrors {
  const field = `${CLIENT}.url`;
  const match = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/(?:([^@/?#]*)@)?([^/?#]*))?/.exec(text);
  const [, scheme = '', user, host = ''] = match ?? [];
  const [, fragment = ''] = text.split('#');
  const [, query = ''] = (text.split('#')[0] ?? '').split('?');
  if (scheme !== 'https') {
    yield invalidField(field, scheme, `'https' is the only allowed URL scheme${FORM}`);
  }
  if (host === '') yield invalidField(field, host, `host must be specified${FORM}`);
  if (user !== undefined) {
    yield invalidField(field, user, 'user information is not permitted in the URL');
  }
  if (fragment !== '')
    yield invalidField(field, fragment, 'fragments are not permitted in the URL');
  if (query !== '')
    yield invalidField(field, query, 'query parameters are not permitted in the URL');
}

function* validateService(service: JsonObject): FieldErrors {
  const field = `${CLIENT}.service`;
  if (readText(service['name']) === '') yield required(`${field}.name`);
  if (readText(service['namespace']) === '') yield required(`${field}.namespace`);
  const port = readNumber(service['port']);
  const faults = checkPortNumber(port);
  if (faults.length > 0) {
    yield invalidField(`${field}.port`, port, `port is not valid: ${faults.join(', ')}`);
  }
}

function* validateReviews(versions: readonly string[]): FieldErrors {
  if (versions.length === 0) {
    yield required(REVIEWS);
    return;
  }
  const seen = new Set<string>();
  for (const [index, version] of versions.entries()) {
    const field = `${REVIEWS}[${index}]`;
    if (seen.has(version)) yield invalidField(field, version, 'duplicate version');
    else for (const fault of checkDns1035Label(version)) yield invalidField(field, version, fault);
    seen.add(version);
  }
  if (versions.some((version) => KNOWN_REVIEWS.includes(version))) return;
  yield invalidField(REVIEWS, versions, `must include at least one of ${KNOWN_REVIEWS.join(', ')}`);
}
