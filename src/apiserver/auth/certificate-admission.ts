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
import { MASTERS } from '../objects/groups.ts';

const GROUP = 'certificates.k8s.io';
const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';

export class CertificateAdmission implements Admission {
  readonly #authorizer: Authorizer;

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer;
  }

  admit(request: AdmissionRequest): JsonObject {
    const { definition, verb, subresource, object, old, user } = request;
    if (definition.group !== GROUP || definition.kind !== 'CertificateSigningRequest')
      return object;
    if (verb === 'create') return withUser(checkSubject(request), user);
    if (verb !== 'update' || !old) return object;
    if (subresource === 'approval') this.#check(request, old, 'approve');
    if (subresource === 'status' && !isSameOutcome(object, old)) this.#check(request, old, 'sign');
    return object;
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

function checkSubject({ definition, object }: AdmissionRequest): JsonObject {
  if (textAt(object, 'spec.signerName') !== CLIENT_SIGNER) return object;
  if (!organizationsOf(object).includes(MASTERS)) return object;
  const why = `use of ${CLIENT_SIGNER} signer with ${MASTERS} group is not allowed`;
  throw forbidden(definition, nameOf(object), why);
}

/** A CSR that cannot be parsed has none here; validation reports it later, with its field. */
function organizationsOf(object: JsonObject): readonly string[] {
  try {
    return readSigningRequest(textAt(object, 'spec.request')).subject.organizations;
  } catch (error) {
    if (error instanceof PodkeepError) return [];
    throw error;
  }
}

function withUser(object: JsonObject, { name, uid, groups, extra }: User): JsonObject {
  return {
    ...object,
    spec: {
      ...readStruct(object['spec']),
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
