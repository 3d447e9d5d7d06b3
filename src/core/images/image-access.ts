/**
 * Decides which pods may use an image that is already on the node (the feature
 * KubeletEnsureSecretPulledImages of Kubernetes).
 *
 *     no record of a pull                    every pod (the administrator put it there)
 *     pulled anonymously, or by the node     every pod
 *     pulled with a pull secret              pods with that secret, or another one with equal credentials
 *
 * Any other pod has to pull the image again, so that the registry checks its credentials. The records have
 * the format of Kubernetes' kubelet.
 */

export type AccessPolicy = 'NeverVerify' | 'NeverVerifyPreloadedImages' | 'AlwaysVerify';

/** A pull secret, and a hash of its credentials for a registry. */
export interface SecretProof {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly credentialHash: string;
}

export interface ImageAccess {
  readonly nodePodsAccessible?: boolean;
  readonly kubernetesSecrets?: readonly SecretProof[];
}

export interface PulledRecord {
  readonly imageRef: string;
  readonly lastUpdatedTime: string;
  /** By the name of the image without tag and digest. */
  readonly credentialMapping: Readonly<Record<string, ImageAccess>>;
}

export interface AccessQuestion {
  readonly policy: AccessPolicy;
  /** Null: there is none. */
  readonly record: PulledRecord | null;
  /** A pull of the image was started on this node, and its end was not recorded. */
  readonly isPulling: boolean;
  /** Without tag and digest. */
  readonly repository: string;
  readonly secrets: readonly SecretProof[];
}

export function mayUseImage(question: AccessQuestion): boolean {
  const { policy, record, isPulling, repository, secrets } = question;
  if (policy === 'NeverVerify') return true;
  if (policy === 'NeverVerifyPreloadedImages' && record === null && !isPulling) return true;
  const access =
    record && Object.hasOwn(record.credentialMapping, repository)
      ? record.credentialMapping[repository]
      : undefined;
  if (!access) return false;
  if (access.nodePodsAccessible) return true;
  return secrets.some((own) => access.kubernetesSecrets?.some((known) => isSame(own, known)));
}

/** The record after a pull; the same object if it is unchanged. */
export function recordPull(
  record: PulledRecord | null,
  pull: {
    readonly imageRef: string;
    readonly repository: string;
    readonly proof: SecretProof | null;
  },
  lastUpdatedTime: string,
): PulledRecord {
  const { imageRef, repository, proof } = pull;
  const mapping = record?.credentialMapping ?? {};
  const before = Object.hasOwn(mapping, repository) ? mapping[repository] : undefined;
  if (record && before?.nodePodsAccessible) return record;
  const known = before?.kubernetesSecrets ?? [];
  if (record && proof && known.some((each) => isEqual(each, proof))) return record;
  const others = known.filter((each) => proof === null || !isSameSecret(each, proof));
  const access = proof ? { kubernetesSecrets: [...others, proof] } : { nodePodsAccessible: true };
  return { imageRef, lastUpdatedTime, credentialMapping: { ...mapping, [repository]: access } };
}

function isSame(a: SecretProof, b: SecretProof): boolean {
  return a.credentialHash === b.credentialHash || isSameSecret(a, b);
}

function isSameSecret(a: SecretProof, b: SecretProof): boolean {
  return a.uid === b.uid && a.namespace === b.namespace && a.name === b.name;
}

function isEqual(a: SecretProof, b: SecretProof): boolean {
  return isSameSecret(a, b) && a.credentialHash === b.credentialHash;
}
