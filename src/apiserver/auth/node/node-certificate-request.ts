/** Checks that a kubelet requests client and serving certificates only for its own node. */
import { PodkeepError } from '../../../lib/errors.ts';
import type { AdmissionRequest } from '../../registry/admission.ts';
import { textAt } from '../../objects/field-path.ts';
import { readSigningRequest } from '../../../lib/x509/signing-request.ts';

const NODE_SIGNERS: ReadonlySet<string> = new Set([
  'kubernetes.io/kube-apiserver-client-kubelet',
  'kubernetes.io/kubelet-serving',
]);

/** The reason for a refusal. Null: the request is allowed. */
export function checkNodeCertificateRequest(
  { verb, object }: AdmissionRequest,
  node: string,
): string | null {
  if (verb !== 'create' || !NODE_SIGNERS.has(textAt(object, 'spec.signerName'))) return null;
  const wanted = `system:node:${node}`;
  try {
    const { subject } = readSigningRequest(textAt(object, 'spec.request'));
    if (subject.commonName === wanted) return null;
  } catch (error) {
    if (!(error instanceof PodkeepError)) throw error;
    const isOther = error.code === 'PEM_MISSING';
    const why = isOther ? 'PEM block type must be CERTIFICATE REQUEST' : error.message;
    return `unable to parse csr: ${why}`;
  }
  return `can only create a node CSR with CN=${wanted}`;
}
