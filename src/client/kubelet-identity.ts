/**
 * Decides whether the server at a node's address is that node's kubelet.
 *
 *     signed by the cluster's authority, for this node and this address   verified
 *     signed by the cluster's authority, for something else               refused
 *     signed by the kubelet itself, or by an unknown authority            unverified, with a warning
 *
 * 1. A node chooses the address in its status. If the address belongs to the API server or another node, the
 *    certificate shows that, and nothing is sent.
 * 2. Kubelets sign their own serving certificates, unless serverTLSBootstrap is set. kube-apiserver without
 *    --kubelet-certificate-authority does not verify such certificates, either.
 */
import { checkServerIdentity, type PeerCertificate } from 'node:tls';

export interface KubeletClientCertificate {
  /** Whether the cluster's authority signed it, and it has not expired. */
  readonly isSigned: boolean;
  readonly certificate: PeerCertificate;
}

export type KubeletIdentity =
  | { readonly type: 'verified' }
  | { readonly type: 'unverified' }
  | { readonly type: 'refused'; readonly reason: string };

export function identifyKubelet(
  nodeName: string,
  host: string,
  { isSigned, certificate }: KubeletClientCertificate,
): KubeletIdentity {
  if (!isSigned) return { type: 'unverified' };
  const wanted = `system:node:${nodeName}`;
  const shown = commonNameOf(certificate);
  if (shown !== wanted) {
    const reason = `the certificate of ${host} is that of ${JSON.stringify(shown)}, not of ${wanted}`;
    return { type: 'refused', reason };
  }
  const mismatch = checkServerIdentity(host, certificate);
  return mismatch ? { type: 'refused', reason: mismatch.message } : { type: 'verified' };
}

/** If there are several common names, the last one counts, as in Go. */
function commonNameOf({ subject }: PeerCertificate): string {
  const name: string | readonly string[] | undefined = (subject as Partial<typeof subject>)?.CN;
  return typeof name === 'string' ? name : (name?.at(-1) ?? '');
}
