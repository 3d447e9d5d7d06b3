/** Which labels a node may set on itself (NodeRestriction): those that cannot steer pods to it. */

/** Of Kubernetes' own, beside those in the domains below. */
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

/** Is the part before the slash this domain, or one below it? */
function isUnder(key: string, domain: string): boolean {
  const slash = key.indexOf('/');
  const prefix = slash < 0 ? '' : key.slice(0, slash);
  return prefix === domain || prefix.endsWith(`.${domain}`);
}
