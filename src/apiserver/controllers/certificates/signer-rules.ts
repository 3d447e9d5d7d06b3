/**
 * The rules of each signer of Kubernetes: subjects, alternative names, and usages. The signer
 * `kubernetes.io/legacy-unknown` has none; version 1 of the API accepts no new requests for it.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { textAt, valueAt } from '../../objects/field-path.ts';
import { readTexts } from '../../../api/validation/json-reading.ts';
import type { SigningRequest } from '../../../lib/x509/signing-request.ts';

const CLIENT = 'kubernetes.io/kube-apiserver-client';
const KUBELET_CLIENT = 'kubernetes.io/kube-apiserver-client-kubelet';
const KUBELET_SERVING = 'kubernetes.io/kubelet-serving';
const LEGACY = 'kubernetes.io/legacy-unknown';

export const SIGNERS: ReadonlySet<string> = new Set([
  CLIENT,
  KUBELET_CLIENT,
  KUBELET_SERVING,
  LEGACY,
]);

/** Why the request is not signed. Null: it is. */
export function checkSignerRules(request: JsonObject, wanted: SigningRequest): string | null {
  const usages = readTexts(valueAt(request, 'spec.usages'));
  switch (textAt(request, 'spec.signerName')) {
    case CLIENT:
      return checkClientUsages(usages);
    case KUBELET_CLIENT:
      return checkKubeletClient(wanted, usages);
    case KUBELET_SERVING:
      return checkKubeletServing(wanted, usages);
    case LEGACY:
      return null;
    default:
      return 'unrecognized signerName';
  }
}

/** A client certificate of a kubelet, which may be approved without a person (approval.ts). */
export function isKubeletClientRequest(request: JsonObject, wanted: SigningRequest): boolean {
  const isForSigner = textAt(request, 'spec.signerName') === KUBELET_CLIENT;
  return isForSigner && checkSignerRules(request, wanted) === null;
}

const CLIENT_USAGES: ReadonlySet<string> = new Set([
  'client auth',
  'digital signature',
  'key encipherment',
]);

function checkClientUsages(usages: readonly string[]): string | null {
  const wrong = usages.find((usage) => !CLIENT_USAGES.has(usage));
  if (wrong !== undefined) return `invalid usage for client certificate: ${wrong}`;
  if (usages.includes('client auth')) return null;
  return 'missing required usage for client certificate: client auth';
}

function checkKubeletClient(wanted: SigningRequest, usages: readonly string[]): string | null {
  const { subject, dnsNames, addresses, emails, uris } = wanted;
  if (!isOfNodes(subject.organizations)) return 'subject organization is not system:nodes';
  if (dnsNames.length > 0) return 'DNS subjectAltNames are not allowed';
  if (emails.length > 0) return 'Email subjectAltNames are not allowed';
  if (addresses.length > 0) return 'IP subjectAltNames are not allowed';
  if (uris.length > 0) return 'URI subjectAltNames are not allowed';
  return checkNodeName(wanted) ?? checkUsages(usages, 'client auth');
}

function checkKubeletServing(wanted: SigningRequest, usages: readonly string[]): string | null {
  const { subject, dnsNames, addresses, emails, uris } = wanted;
  if (!isOfNodes(subject.organizations)) return 'subject organization is not system:nodes';
  if (dnsNames.length + addresses.length === 0) return 'DNS or IP subjectAltName is required';
  if (emails.length > 0) return 'Email subjectAltNames are not allowed';
  if (uris.length > 0) return 'URI subjectAltNames are not allowed';
  return checkUsages(usages, 'server auth') ?? checkNodeName(wanted);
}

function isOfNodes(organizations: readonly string[]): boolean {
  return organizations.length === 1 && organizations[0] === 'system:nodes';
}

function checkNodeName({ subject }: SigningRequest): string | null {
  if (subject.commonName.startsWith('system:node:')) return null;
  return 'subject common name does not begin with system:node:';
}

/** All usages are required, except key encipherment, which only RSA keys need. */
function checkUsages(usages: readonly string[], main: string): string | null {
  const given = [...new Set(usages)].toSorted().join();
  const all = ['digital signature', 'key encipherment', main].toSorted();
  const isGood = given === all.join() || given === ['digital signature', main].toSorted().join();
  return isGood ? null : `usages did not match [${all.join(' ')}]`;
}
