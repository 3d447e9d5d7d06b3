/**
 * Whether what answers at a node's address may be taken for its kubelet.
 *
 *     signed by the cluster's authority, for this node and this address   verified
 *     signed by the cluster's authority, for something else               refused
 *     signed by the kubelet itself, or by an authority unknown here       unverified, with a warning
 *
 * 1. A node chooses its address. If that is the API server's, or another node's, the certificate that is
 *    shown there says so, and nothing is sent.
 * 2. Kubelets sign their own serving certificates unless they are configured to ask the cluster for one
 *    (serverTLSBootstrap); kube-apiserver does not check those either, without an authority for them.
 */
import { checkServerIdentity, type PeerCertificate } from 'node:tls';

export interface ShownCertificate {
  /** Whether the cluster's authority signed it, and it is valid today. */
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
  { isSigned, certificate }: ShownCertificate,
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

/** The last one of several is the most specific one, as Go reads a subject. */
function commonNameOf({ subject }: PeerCertificate): string {
  const name: string | readonly string[] | undefined = (subject as Partial<typeof subject>)?.CN;
  return typeof name === 'string' ? name : (name?.at(-1) ?? '');
}
