/**
 * Decides which labels a kubelet may set on its own Node (NodeRestriction): only labels that cannot steer
 * pods to it.
 */

/** The Kubernetes labels that are allowed, in addition to those in KUBELET_DOMAINS. */
export const KUBELET_LABELS: ReadonlySet<string> = new Set([
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/os',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'kubernetes.io/arch',
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
]);
const KUBELET_DOMAINS = ['kubelet.kubernetes.io', 'node.kubernetes.io'];
const RESTRICTED_DOMAIN = 'node-restriction.kubernetes.io';
const KUBERNETES_DOMAINS = ['kubernetes.io', 'k8s.io'];

export function mayNodeSetLabel(key: string): boolean {
  return !isRestricted(key) && (!isKubernetes(key) || isKubelet(key));
}

function isRestricted(key: string): boolean {
  return isUnder(key, RESTRICTED_DOMAIN);
}

function isKubernetes(key: string): boolean {
  return KUBERNETES_DOMAINS.some((domain) => isUnder(key, domain));
}

function isKubelet(key: string): boolean {
  return KUBELET_LABELS.has(key) || KUBELET_DOMAINS.some((domain) => isUnder(key, domain));
}

/** Whether the prefix of the key is this domain or a subdomain. */
function isUnder(key: string, domain: string): boolean {
  const slash = key.indexOf('/');
  const prefix = slash < 0 ? '' : key.slice(0, slash);
  return prefix === domain || prefix.endsWith(`.${domain}`);
}
