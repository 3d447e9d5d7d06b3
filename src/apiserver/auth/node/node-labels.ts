/** Which labels of its own node a kubelet may set: those that cannot steer pods to it. */
import type { JsonObject } from '../../../lib/json.ts';
import { readTextMap } from '../../kinds/validation/json-reading.ts';
import { metadataOf } from '../../metadata.ts';

const KUBELET_LABELS: ReadonlySet<string> = new Set([
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

/** The keys of labels that are new, gone or different. */
export function labelChanges(node: JsonObject, old: JsonObject): readonly string[] {
  const now = readTextMap(metadataOf(node)['labels']);
  const before = readTextMap(metadataOf(old)['labels']);
  return [...new Set([...now.keys(), ...before.keys()])].filter(
    (key) => now.get(key) !== before.get(key),
  );
}

/** Sorted. */
export function forbiddenLabels(keys: readonly string[]): readonly string[] {
  return keys
    .filter((key) => isRestricted(key) || (isKubernetes(key) && !isKubelet(key)))
    .toSorted();
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
