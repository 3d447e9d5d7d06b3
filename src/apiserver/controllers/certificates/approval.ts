/**
 * Decides which certificate requests are approved automatically: those for client certificates of kubelets,
 * if the requester may create
 *
 *     certificatesigningrequests/selfnodeclient   for itself: a node renews its certificate
 *     certificatesigningrequests/nodeclient       for any node: a machine joins with a bootstrap credential
 *
 * No user has these permissions by default; an administrator binds Kubernetes' ClusterRoles for them.
 */
import { readTexts } from '../../../api/validation/json-reading.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import type { SigningRequest } from '../../../lib/x509/signing-request.ts';
import type { ResourceAttributes, User } from '../../objects/access.ts';
import { objectsAt, structAt, textAt, valueAt } from '../../objects/field-path.ts';
import { isKubeletClientRequest } from './signer-rules.ts';

export interface Recognition {
  /** What the requester must be allowed to create. */
  readonly subresource: string;
  /** For the condition. */
  readonly message: string;
}

const SELF: Recognition = {
  subresource: 'selfnodeclient',
  message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
};
const ANY_NODE: Recognition = {
  subresource: 'nodeclient',
  message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
};
const DECISIONS: ReadonlySet<unknown> = new Set(['Approved', 'Denied']);

/** Neither approved nor denied, and without a certificate. */
export function isUndecided(request: JsonObject): boolean {
  const conditions = objectsAt(request, 'status.conditions');
  const isDecided = conditions.some(({ type }) => DECISIONS.has(type));
  return !isDecided && textAt(request, 'status.certificate') === '';
}

/** In the order in which the permissions are asked for; empty: a person decides. */
export function recognize(request: JsonObject, wanted: SigningRequest): readonly Recognition[] {
  if (!isKubeletClientRequest(request, wanted)) return [];
  const isOwn = textAt(request, 'spec.username') === wanted.subject.commonName;
  return isOwn ? [SELF, ANY_NODE] : [ANY_NODE];
}

/** Who made the request, as admission recorded it. */
export function requesterOf(request: JsonObject): User {
  const { username, uid } = structAt(request, 'spec');
  const extra = Object.entries(structAt(request, 'spec.extra')).map(
    ([key, values]) => [key, readTexts(values)] as const,
  );
  return {
    name: typeof username === 'string' ? username : '',
    groups: readTexts(valueAt(request, 'spec.groups')),
    ...(typeof uid === 'string' && { uid }),
    ...(extra.length > 0 && { extra: Object.fromEntries(extra) }),
  };
}

export function permissionFor({ subresource }: Recognition): ResourceAttributes {
  return {
    verb: 'create',
    group: 'certificates.k8s.io',
    version: '*',
    resource: 'certificatesigningrequests',
    subresource,
    namespace: '',
    name: '',
  };
}

export function withApproval(request: JsonObject, { message }: Recognition): JsonObject {
  const approved = { type: 'Approved', status: 'True', reason: 'AutoApproved', message };
  const { status } = request;
  const conditions = [...objectsAt(request, 'status.conditions'), approved];
  return { ...request, status: { ...(isJsonObject(status) && status), conditions } };
}
