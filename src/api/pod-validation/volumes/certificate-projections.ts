/** Validates projected certificates: cluster trust bundles, and pod certificates. */
import { checkDns1123Label, checkDns1123Subdomain, checkLabelKey } from '../../validation-names.ts';
import type { JsonObject } from '../../../lib/json.ts';
import {
  invalidField,
  invalidFor,
  required,
  tooLong,
  unsupported,
  type FieldErrors,
} from '../../validation/field-errors.ts';
import { isGiven, readEntries, readNumber, readText } from '../../validation/json-reading.ts';
import type { Value } from '../../validation/json-reading.ts';
import { validateLabelSelector } from '../../validation/labels.ts';
import { validateFilePath } from '../../validation/paths.ts';
import { internalForm } from '../internal-form.ts';
import { claimFile, type ProjectionContext } from './projection-context.ts';

const KEY_TYPES = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519'];
const DAY_SECONDS = 24 * 60 * 60;
const LIFETIME_SECONDS_MIN = 3600;
const LIFETIME_SECONDS_MAX = 91 * DAY_SECONDS;
const DOMAIN_LENGTH_MAX = 253;
const SIGNER_LENGTH_MAX = 253 + 1 + 253 + 63 + 1;

export function* validateTrustBundle(
  source: JsonObject,
  path: string,
  context: ProjectionContext,
): FieldErrors {
  const { name, signerName, labelSelector } = source;
  if (isGiven(name) && isGiven(signerName)) {
    const shown = internalForm(source, 'core/v1.ClusterTrustBundleProjection');
    yield invalidField(path, shown, 'only one of name and signerName may be used');
  } else if (isGiven(name)) {
    yield* validateBundleName(readText(name), `${path}.name`);
    if (isGiven(labelSelector)) {
      const detail = 'labelSelector must be unset if name is specified';
      yield invalidField(`${path}.labelSelector`, labelSelector, detail);
    }
  } else if (isGiven(signerName)) {
    const field = `${path}.signerName`;
    if (readText(signerName) === '') yield required(field, 'must be a valid signer name');
    yield* validateSignerName(readText(signerName), field);
    yield* validateLabelSelector(labelSelector, `${path}.labelSelector`);
  } else {
    yield required(path, 'either name or signerName must be specified');
  }
  const file = readText(source['path']);
  if (file === '') yield required(`${path}.path`);
  yield* validateFilePath(file, `${path}.path`);
  yield* claimFile(file, file, context);
}

export function* validatePodCertificate(
  source: JsonObject,
  path: string,
  context: ProjectionContext,
): FieldErrors {
  const signer = readText(source['signerName']);
  yield* validateSignerName(signer, `${path}.signerName`);
  yield* validateUserAnnotations(source['userAnnotations'], `${path}.userAnnotations`);
  const keyType = readText(source['keyType']);
  if (!KEY_TYPES.includes(keyType)) yield unsupported(`${path}.keyType`, keyType, KEY_TYPES);
  const lifetime = source['maxExpirationSeconds'];
  yield* validateLifetime(lifetime, `${path}.maxExpirationSeconds`, signer);
  const files = ['credentialBundlePath', 'keyPath', 'certificateChainPath'];
  const given = files.filter((name) => readText(source[name]) !== '');
  for (const name of given) {
    const file = readText(source[name]);
    yield* validateFilePath(file, `${path}.${name}`);
    yield* claimFile(file, file, context);
  }
  if (given.length > 0) return;
  yield required(
    path,
    'specify at least one of credentialBundlePath, keyPath, and certificateChainPath',
  );
}

/** The name of a signer's bundle begins with the signer: `example.com:signer:bundle`. */
function* validateBundleName(name: string, field: string): FieldErrors {
  if (name === '') yield required(field, 'must be a valid object name');
  const sentences = checkDns1123Subdomain(name.slice(name.lastIndexOf(':') + 1));
  for (const sentence of sentences) {
    yield invalidField(field, name, `not a valid clustertrustbundlename: ${sentence}`);
  }
}

function* validateSignerName(name: string, field: string): FieldErrors {
  const [domain = '', signer, ...others] = name.split('/');
  if (name === '') {
    yield required(field);
    return;
  }
  if (signer === undefined || others.length > 0) {
    const form = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    yield invalidField(field, name, form);
    return;
  }
  if (Buffer.byteLength(domain) > DOMAIN_LENGTH_MAX) yield tooLong(field, DOMAIN_LENGTH_MAX);
  yield* validateParts(domain, field, checkDns1123Label);
  if (!domain.includes('.')) {
    const detail = 'should be a domain with at least two segments separated by dots';
    yield invalidField(field, domain, detail);
  }
  yield* validateParts(signer, field, checkDns1123Subdomain);
  if (Buffer.byteLength(name) > SIGNER_LENGTH_MAX) yield tooLong(field, SIGNER_LENGTH_MAX);
}

/** Reports only the first invalid part: the errors of the others would be the same. */
function* validateParts(
  text: string,
  field: string,
  check: (part: string) => readonly string[],
): FieldErrors {
  for (const part of text.split('.')) {
    const sentences = check(part);
    const quoted = JSON.stringify(part);
    for (const sentence of sentences) {
      yield invalidField(field, text, `validating label ${quoted}: ${sentence}`);
    }
    if (sentences.length > 0) return;
  }
}

function* validateUserAnnotations(annotations: Value, path: string): FieldErrors {
  for (const [key] of readEntries(annotations)) {
    const name = key.toLowerCase();
    if (name === '') {
      yield required(path);
      continue;
    }
    const sentences = checkLabelKey(name);
    yield* invalidFor(path, name, sentences);
    if (sentences.length === 0 && !name.includes('/')) {
      yield invalidField(path, name, 'must be a domain-prefixed key (such as "acme.io/foo")');
    }
  }
}

function* validateLifetime(value: Value, field: string, signer: string): FieldErrors {
  if (!isGiven(value)) return;
  const seconds = readNumber(value);
  if (seconds < LIFETIME_SECONDS_MIN) {
    const detail = `if provided, maxExpirationSeconds must be >= ${LIFETIME_SECONDS_MIN}`;
    yield invalidField(field, seconds, detail);
  }
  const isOurs = signer.startsWith('kubernetes.io/') || signer.includes('.kubernetes.io/');
  const most = isOurs ? DAY_SECONDS : LIFETIME_SECONDS_MAX;
  if (seconds <= most) return;
  yield invalidField(field, seconds, `if provided, maxExpirationSeconds must be <= ${most}`);
}
