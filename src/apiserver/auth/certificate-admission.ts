/**
 * Admission checks of CertificateSigningRequests: records the requesting user, checks the permission to
 * approve or sign for the signer, and refuses certificates for system:masters.
 */
import { jsonEqual } from '../../api/values/json-equal.ts';
import { PodkeepError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { User } from '../objects/access.ts';
import type { Admission, AdmissionRequest } from '../registry/admission.ts';
import { objectsAt, textAt } from '../objects/field-path.ts';
import { readStruct } from '../../api/validation/json-reading.ts';
import { nameOf } from '../objects/metadata.ts';
import { readSigningRequest } from '../../lib/x509/signing-request.ts';
import { forbidden } from '../objects/status.ts';
import type { Authorizer } from './authorizer.ts';
import { USER_FIELDS } from '../kinds/rbac/certificate-signing-request.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { withoutField } from '../../api/validation/json-changes.ts';
import { MASTERS } from '../objects/groups.ts';

const GROUP = 'certificates.k8s.io';
const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';

export class CertificateAdmission implements Admission {
  readonly #authorizer: Authorizer;

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer;
  }

  admit({ object }: AdmissionRequest): JsonObject {
    return object;
  }

  /** After webhooks, which may not change the user. */
  allocate({ definition, verb, object, user }: AdmissionRequest): JsonObject {
    return isRequest(definition) && verb === 'create' ? withUser(object, user) : object;
  }

  /** After validation, as in kube-apiserver: an unreadable request never gets here. */
  review(request: AdmissionRequest): void {
    const { definition, verb, subresource, object, old } = request;
    if (!isRequest(definition)) return;
    if (verb === 'create') checkSubject(request);
    if (verb !== 'update' || !old) return;
    if (subresource === 'approval') this.#check(request, old, 'approve');
    if (subresource === 'status' && !isSameOutcome(object, old)) this.#check(request, old, 'sign');
  }

  /** Uses the old object, because an approval cannot change the signer. */
  #check({ definition, object, user }: AdmissionRequest, old: JsonObject, verb: string): void {
    const signer = textAt(old, 'spec.signerName');
    const [domain = ''] = signer.split('/');
    const isAllowed = [signer, `${domain}/*`].some((name) => {
      const wanted = { verb, group: GROUP, version: '*', resource: 'signers', subresource: '' };
      return this.#authorizer.authorize(user, { ...wanted, namespace: '', name }).isAllowed;
    });
    if (isAllowed) return;
    const why = `user not permitted to ${verb} requests with signerName ${JSON.stringify(signer)}`;
    throw forbidden(definition, nameOf(object), why);
  }
}

function isRequest({ group, kind }: KindDefinition): boolean {
  return group === GROUP && kind === 'CertificateSigningRequest';
}

function checkSubject({ definition, object }: AdmissionRequest): void {
  if (textAt(object, 'spec.signerName') !== CLIENT_SIGNER) return;
  const why = faultOfSubject(textAt(object, 'spec.request'));
  if (why !== null) throw forbidden(definition, nameOf(object), why);
}

/** Null: it may be requested. What cannot be read is refused: another signer might read it. */
function faultOfSubject(request: string): string | null {
  try {
    const { organizations } = readSigningRequest(request).subject;
    if (!organizations.includes(MASTERS)) return null;
    return `use of ${CLIENT_SIGNER} signer with ${MASTERS} group is not allowed`;
  } catch (error) {
    if (error instanceof PodkeepError) return `failed to parse CSR: ${error.message}`;
    throw error;
  }
}

/** Whatever a client or a webhook wrote into these fields. */
function withUser(object: JsonObject, { name, uid, groups, extra }: User): JsonObject {
  const spec = USER_FIELDS.reduce(withoutField, readStruct(object['spec']));
  return {
    ...object,
    spec: {
      ...spec,
      ...(name !== '' && { username: name }),
      ...(uid !== undefined && { uid }),
      ...(groups.length > 0 && { groups }),
      ...(extra && Object.keys(extra).length > 0 && { extra: { ...extra } }),
    },
  };
}

function isSameOutcome(object: JsonObject, old: JsonObject): boolean {
  const [certificate, conditions] = ['status.certificate', 'status.conditions'];
  return (
    textAt(object, certificate) === textAt(old, certificate) &&
    jsonEqual(objectsAt(object, conditions), objectsAt(old, conditions))
  );
}
