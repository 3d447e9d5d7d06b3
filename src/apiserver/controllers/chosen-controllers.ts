/**
 * Selects controllers in the syntax of kube-controller-manager's `--controllers`: `*` means all, a name means
 * that one, and `-NAME` disables that one. The names and aliases of kube-controller-manager are accepted,
 * too.
 */
import { defineError } from '../../lib/errors.ts';
import { CONTROLLER_NAMES } from './controllers.ts';

/** Run by the embedded server in addition to the others. */
const OTHERS = ['certificate-signer', 'cluster-role-aggregation'];

/** Names in kube-controller-manager, with its older aliases, by the name here. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  namespace: ['namespace-controller'],
  'garbage-collector': ['garbage-collector-controller', 'garbagecollector'],
  serviceaccount: ['serviceaccount-controller'],
  'root-ca-certificate': ['root-ca-certificate-publisher-controller', 'root-ca-cert-publisher'],
  'serviceaccount-token': ['serviceaccount-token-controller'],
  'resource-quota': ['resourcequota-controller', 'resourcequota'],
  'node-lifecycle': ['node-lifecycle-controller', 'nodelifecycle'],
  'taint-eviction': ['taint-eviction-controller'],
  'pod-garbage-collector': ['pod-garbage-collector-controller', 'podgc'],
  'cluster-role-aggregation': ['clusterrole-aggregation-controller', 'clusterrole-aggregation'],
  'certificate-signer': ['certificatesigningrequest-signing-controller', 'csrsigning'],
  'certificate-approver': ['certificatesigningrequest-approving-controller', 'csrapproving'],
  'certificate-cleaner': ['certificatesigningrequest-cleaner-controller', 'csrcleaner'],
  ttl: ['ttl-controller'],
  'node-ipam': ['node-ipam-controller', 'nodeipam'],
  'policy-status': ['validatingadmissionpolicy-status-controller'],
  deployment: ['deployment-controller'],
  replicaset: ['replicaset-controller'],
  replicationcontroller: ['replicationcontroller-controller'],
  statefulset: ['statefulset-controller'],
  daemonset: ['daemonset-controller'],
  disruption: ['disruption-controller'],
  job: ['job-controller'],
  endpointslice: ['endpointslice-controller'],
  endpoint: ['endpoints-controller'],
  cronjob: ['cronjob-controller'],
  horizontalpodautoscaling: ['horizontal-pod-autoscaler-controller'],
  endpointslicemirroring: ['endpointslice-mirroring-controller'],
  'persistentvolume-binder': ['persistentvolume-binder-controller'],
  'persistentvolume-expander': ['persistentvolume-expander-controller'],
  'ephemeral-volume': ['ephemeral-volume-controller'],
};

const BY_ALIAS: ReadonlyMap<string, string> = new Map(
  Object.entries(ALIASES).flatMap(([name, aliases]) => aliases.map((alias) => [alias, name])),
);

export const controllerUnknown = defineError<{ name: string; known: readonly string[] }>({
  code: 'CONTROLLER_UNKNOWN',
  retry: 'never',
  message: ({ name }) => `there is no controller ${JSON.stringify(name)}`,
  hint: ({ known }) =>
    `Choose from ${known.join(', ')}; "*" is all of them, and "-NAME" leaves one out.`,
});

/** Throws CONTROLLER_UNKNOWN. */
export function chooseControllers(text: string): ReadonlySet<string> {
  const known = [...CONTROLLER_NAMES, ...OTHERS];
  const words = text.split(',').map((word) => word.trim());
  const chosen = new Set(words.includes('*') ? known : []);
  for (const word of words) {
    if (word === '*' || word === '') continue;
    const given = word.replace(/^-/, '');
    const name = BY_ALIAS.get(given) ?? given;
    if (!known.includes(name)) throw controllerUnknown({ name, known });
    if (word.startsWith('-')) chosen.delete(name);
    else chosen.add(name);
  }
  return chosen;
}
