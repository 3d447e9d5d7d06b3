/**
 * Defines the kind CertificateSigningRequest: one client requests a certificate, another approves it
 * (subresource approval), and a signer issues it (subresource status). Each subresource can change only its
 * own part. Admission sets the requesting user; the client cannot.
 */
import { formatHumanDuration } from '../../../api/values/human-duration.ts';
import { jsonEqual } from '../../../api/values/json-equal.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import type { FieldError } from '../../../api/validation/field-error.ts';
import { textColumn } from '../../objects/columns.ts';
import { changeStructAt, objectsAt, structAt, textAt, valueAt } from '../../objects/field-path.ts';
import { keepSpec, withoutStatus } from '../lifecycle.ts';
import { AGE, NAME, plainKind, statusSubresource } from '../../objects/plain-kind.ts';
import { validateRequired } from '../required-fields.ts';
import {
  duplicate,
  forbiddenField,
  invalidField,
  required,
  requireOneOf,
  unsupported,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { PodkeepError } from '../../../lib/errors.ts';
import { readCertificate } from '../../../lib/x509/read-certificate.ts';
import { readSigningRequest } from '../../../lib/x509/signing-request.ts';
import { changeObjects, withFieldOf, withoutField } from '../../../api/validation/json-changes.ts';
import { readText, readTexts } from '../../../api/validation/json-reading.ts';

const LIFETIME_SECONDS_MIN = 600;
const APPROVALS = ['Approved', 'Denied'];
const LASTING = ['Approved', 'Denied', 'Failed'];
/** Which the server sets: the client that made the request. */
export const USER_FIELDS = ['username', 'uid', 'groups', 'extra'];
const LEGACY_SIGNER = 'kubernetes.io/legacy-unknown';
const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----\s([^-]*)-----END \1-----/g;
const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

export const certificateSigningRequests = plainKind('certificates.k8s.io/v1', {
  kind: 'CertificateSigningRequest',
  resource: 'certificatesigningrequests',
  shortNames: ['csr'],
  subresources: [
    {
      ...statusSubresource('CertificateSigningRequest'),
      name: 'approval',
      prepareForUpdate: keepAllButConditions,
      validateUpdate: (object, old) => [
        ...checkConditions(object),
        ...checkLasting(object, old, LASTING),
      ],
    },
    statusSubresource('CertificateSigningRequest'),
  ],
  rules: {
    // Any name is valid: kubelets use digests with capital letters.
    checkName: () => [],
    prepareForCreate: (object) => withoutUser(withoutStatus(object)),
    prepareForUpdate: (object, old) => withFieldOf(keepSpec(object, old), 'status', old),
    validate: (object) => [...checkRequest(object)],
    prepareForStatusUpdate: (object, old) => keepApprovals(keepSpec(object, old), old),
    validateStatusUpdate,
    selectableFields: (object) => ({ 'spec.signerName': textAt(object, 'spec.signerName') }),
  },
  columns: [
    NAME,
    AGE,
    textColumn('SignerName', 'Who is to sign it.', (object) => {
      return textAt(object, 'spec.signerName') || '<none>';
    }),
    textColumn('Requestor', 'Who asked.', (object) => textAt(object, 'spec.username')),
    textColumn('RequestedDuration', 'For how long it is to be valid.', (object) => {
      const seconds = valueAt(object, 'spec.expirationSeconds');
      return typeof seconds === 'number' ? formatHumanDuration(seconds * 1000) : '<none>';
    }),
    textColumn('Condition', 'How far it has come.', printState),
  ],
});

function withoutUser(object: JsonObject): JsonObject {
  return changeStructAt(object, 'spec', (spec) => USER_FIELDS.reduce(withoutField, spec));
}

function keepAllButConditions(object: JsonObject, old: JsonObject): JsonObject {
  const { conditions = [] as Json } = structAt(object, 'status');
  const kept = withFieldOf(keepSpec(object, old), 'status', old);
  return changeStructAt(kept, 'status', (status) =>
    withFieldOf(status, 'conditions', { conditions }),
  );
}

/** Approvals and denials stay as they are, unless the client adds or removes one: validation refuses that. */
function keepApprovals(object: JsonObject, old: JsonObject): JsonObject {
  const kept = new Map<string, JsonObject[]>();
  for (const type of APPROVALS) {
    const before = find(old, type);
    if (find(object, type).length === before.length) kept.set(type, [...before]);
  }
  return changeStructAt(object, 'status', (status) =>
    changeObjects(
      status,
      'conditions',
      (condition) => kept.get(readText(condition['type']))?.shift() ?? condition,
    ),
  );
}

function* checkRequest(object: JsonObject): FieldErrors {
  const request = textAt(object, 'spec.request');
  const fault = faultOfRequest(request);
  if (fault !== null) yield invalidField('spec.request', request, fault);
  yield* validateRequired(object, ['spec.usages']);
  const usages = readTexts(valueAt(object, 'spec.usages'));
  for (const [index, usage] of usages.entries()) {
    const field = `spec.usages[${index}]`;
    if (!USAGES.includes(usage)) yield unsupported(field, usage, USAGES);
    if (usages.indexOf(usage) < index) yield duplicate(field, usage);
  }
  yield* checkSigner(textAt(object, 'spec.signerName'));
  const seconds = valueAt(object, 'spec.expirationSeconds');
  if (typeof seconds === 'number' && seconds < LIFETIME_SECONDS_MIN) {
    const detail = 'may not specify a duration less than 600 seconds (10 minutes)';
    yield invalidField('spec.expirationSeconds', seconds, detail);
  }
}

/** Null: it can be read, and its own key has signed it. */
function faultOfRequest(request: string): string | null {
  try {
    readSigningRequest(request);
    return null;
  } catch (error) {
    if (!(error instanceof PodkeepError)) throw error;
    const isOther = error.code === 'PEM_MISSING';
    return isOther ? 'PEM block type must be CERTIFICATE REQUEST' : error.message;
  }
}

function* checkSigner(signer: string): FieldErrors {
  const field = 'spec.signerName';
  const [domain = '', ...path] = signer.split('/');
  if (signer === '') yield required(field);
  else if (signer === LEGACY_SIGNER) {
    const detail = 'the legacy signerName is not allowed via this API version';
    yield invalidField(field, signer, detail);
  } else if (path.length !== 1 || domain === '' || !domain.includes('.')) {
    const detail =
      "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    yield invalidField(field, signer, detail);
  }
}

function* checkConditions(object: JsonObject): FieldErrors {
  const path = 'status.conditions';
  const types = new Set<string>();
  for (const [index, condition] of objectsAt(object, path).entries()) {
    const [type, status] = [readText(condition['type']), readText(condition['status'])];
    const allowed = LASTING.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
    if (type === '') yield required(`${path}[${index}].type`);
    yield* requireOneOf(`${path}[${index}].status`, status, allowed);
    const other = type === 'Approved' ? 'Denied' : 'Approved';
    if (APPROVALS.includes(type) && types.has(other)) {
      yield invalidField(path, type, 'Approved and Denied conditions are mutually exclusive');
    }
    if (types.has(type)) yield duplicate(`${path}[${index}].type`, type);
    types.add(type);
  }
}

/** An approval or denial is final. */
function* checkLasting(object: JsonObject, old: JsonObject, types: readonly string[]): FieldErrors {
  for (const type of types) {
    if (find(object, type).length >= find(old, type).length) continue;
    yield forbiddenField(
      'status.conditions',
      `updates may not remove a condition of type "${type}"`,
    );
  }
}

function validateStatusUpdate(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const before = textAt(old, 'status.certificate');
  const isReissued = before !== '' && before !== textAt(object, 'status.certificate');
  const detail = 'updates may not modify existing certificate content';
  return [
    ...checkConditions(object),
    ...checkLasting(object, old, LASTING),
    ...checkApprovals(object, old),
    ...(before === '' ? checkCertificate(textAt(object, 'status.certificate')) : []),
    ...(isReissued ? [forbiddenField('status.certificate', detail)] : []),
  ];
}

/** One certificate or a chain of them, as PEM; other text around the blocks does not matter. */
function* checkCertificate(encoded: string): FieldErrors {
  if (encoded === '') return;
  const fault = faultOfCertificates(Buffer.from(encoded, 'base64').toString('latin1'));
  if (fault !== null) yield invalidField('status.certificate', '<certificate data>', fault);
}

function faultOfCertificates(text: string): string | null {
  const blocks = [...text.matchAll(BLOCK)];
  if (blocks.length === 0) return 'must contain at least one CERTIFICATE PEM block';
  for (const [, label = '', content = ''] of blocks) {
    if (label !== 'CERTIFICATE') {
      return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(label)}`;
    }
    if (content.includes(':')) return 'no PEM block headers are permitted';
    try {
      readCertificate(Buffer.from(content, 'base64'));
    } catch (error) {
      if (error instanceof PodkeepError) return error.message;
      throw error;
    }
  }
  return null;
}

/** Only the subresource approval may approve or deny. */
function* checkApprovals(object: JsonObject, old: JsonObject): FieldErrors {
  for (const type of APPROVALS) {
    const [now, before] = [find(object, type), find(old, type)];
    if (now.length > before.length) {
      yield forbiddenField(
        'status.conditions',
        `updates may not add a condition of type "${type}"`,
      );
    } else if (now.length === before.length && !jsonEqual(now, before)) {
      yield forbiddenField(
        'status.conditions',
        `updates may not modify a condition of type "${type}"`,
      );
    }
  }
}

function find(object: JsonObject, type: string): readonly JsonObject[] {
  return objectsAt(object, 'status.conditions').filter((condition) => condition['type'] === type);
}

function printState(object: JsonObject): string {
  const has = (type: string): boolean => find(object, type).length > 0;
  const approval = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  const failed = has('Failed') ? ',Failed' : '';
  return `${approval}${failed}${textAt(object, 'status.certificate') === '' ? '' : ',Issued'}`;
}
