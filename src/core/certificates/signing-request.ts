/**
 * Builds the CertificateSigningRequest that a node creates, and reads its state from its status.
 *
 *     sent ──> waiting ──approved and signed──> issued
 *                 ├──> denied by an approver, or failed by the signer
 *                 └──> lost: deleted, or another request has its name
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';

export type Signer =
  | 'kubernetes.io/kube-apiserver-client-kubelet'
  | 'kubernetes.io/kubelet-serving';

export interface WantedSignature {
  /** Empty: the API server chooses one. */
  readonly name: string;
  readonly signer: Signer;
  /** The key is an RSA key: only these get the usage `key encipherment`. */
  readonly isRsa: boolean;
  /** PEM of the request. */
  readonly pem: string;
}

export type RequestState =
  | { readonly type: 'waiting'; readonly isApproved: boolean }
  /** PEM, the node's own certificate first. */
  | { readonly type: 'issued'; readonly base64: string }
  | { readonly type: 'denied' | 'failed'; readonly reason: string; readonly message: string }
  | { readonly type: 'lost'; readonly reason: string };

export const REQUESTS_PATH = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

export function usagesOf(signer: Signer, isRsa: boolean): readonly string[] {
  const main = signer === 'kubernetes.io/kubelet-serving' ? 'server auth' : 'client auth';
  return ['digital signature', ...(isRsa ? ['key encipherment'] : []), main];
}

/** `base64` is the PEM of the request in base64. */
export function requestObject(
  { name, signer, isRsa }: Omit<WantedSignature, 'pem'>,
  base64: string,
): JsonObject {
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: name === '' ? { generateName: 'csr-' } : { name },
    spec: { request: base64, signerName: signer, usages: usagesOf(signer, isRsa) },
  };
}

/** `uid` is that of the request that was sent. */
export function requestStateOf(request: JsonObject, uid: string): RequestState {
  const metadata = objectIn(request, 'metadata');
  if (metadata['uid'] !== uid) {
    return { type: 'lost', reason: 'another request has its name' };
  }
  const status = objectIn(request, 'status');
  const conditions = listIn(status, 'conditions').filter(isJsonObject);
  for (const { type, reason, message } of conditions) {
    if (type !== 'Denied' && type !== 'Failed') continue;
    const words = { reason: textOf(reason), message: textOf(message) };
    return { type: type === 'Denied' ? 'denied' : 'failed', ...words };
  }
  const isApproved = conditions.some(({ type }) => type === 'Approved');
  const base64 = textOf(status['certificate']);
  return isApproved && base64 !== '' ? { type: 'issued', base64 } : { type: 'waiting', isApproved };
}

function objectIn(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

function listIn(object: JsonObject, name: string): readonly Json[] {
  const value = object[name];
  return Array.isArray(value) ? value : [];
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
