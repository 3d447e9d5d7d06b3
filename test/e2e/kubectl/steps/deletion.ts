/** Deleting: with owners and owned, with finalizers, by force, and whole namespaces. */
import { kubectl, type Chapter } from '../step.ts';

function owned(name: string, owner: string, uid: string): string {
  return `
apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
  ownerReferences:
    - apiVersion: v1
      kind: ConfigMap
      name: ${owner}
      uid: ${uid}
      blockOwnerDeletion: true
`;
}

const FINALIZED = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: held
  finalizers: [example.com/hold]
`;

const BOUND_POD = `
apiVersion: v1
kind: Pod
metadata:
  name: bound
spec:
  nodeName: far-away
  containers:
    - name: c
      image: c:1
`;

export const deletion: Chapter = {
  title: 'deletion',
  namespace: 'deletion',
  steps: [
    kubectl('create configmap parent'),
    kubectl('get configmap parent -o jsonpath={.metadata.uid}', { save: 'PARENT' }),
    kubectl('create -f -', { stdin: owned('child', 'parent', '$PARENT') }),
    kubectl('delete configmap parent --cascade=foreground'),
    kubectl('get configmap child parent', { until: /"child" not found/ }),
    kubectl('create configmap parent'),
    kubectl('get configmap parent -o jsonpath={.metadata.uid}', { save: 'PARENT' }),
    kubectl('create -f -', { stdin: owned('child', 'parent', '$PARENT') }),
    kubectl('delete configmap parent --cascade=orphan'),
    kubectl('get configmap child -o yaml', { until: /^(?![^]*ownerReferences)/ }),
    kubectl('delete configmap child'),
    kubectl('create configmap parent'),
    kubectl('get configmap parent -o jsonpath={.metadata.uid}', { save: 'PARENT' }),
    kubectl('create -f -', { stdin: owned('child', 'parent', '$PARENT') }),
    kubectl('delete configmap parent --cascade=background'),
    kubectl('get configmap child', { until: /not found/ }),
    kubectl('create -f -', {
      stdin: owned('stray', 'nobody', '01234567-89ab-cdef-0123-456789abcdef'),
    }),
    kubectl('get configmap stray', { until: /not found/ }),
    kubectl('create -f -', { stdin: FINALIZED }),
    kubectl('delete configmap held --wait=false'),
    kubectl('get configmap held -o yaml'),
    kubectl(`patch configmap held -p '{"data":{"still":"here"}}'`),
    kubectl(
      `patch configmap held --type=merge -p '{"metadata":{"finalizers":["example.com/new"]}}'`,
    ),
    kubectl(`patch configmap held --type=merge -p '{"metadata":{"finalizers":null}}'`),
    kubectl('get configmap held', { until: /not found/ }),
    kubectl('create -f $FIXTURES/pod.yaml'),
    kubectl('delete pod web --grace-period=0 --force'),
    kubectl('get pods'),
    kubectl('create -f -', { stdin: BOUND_POD }),
    kubectl('delete pod bound --wait=false'),
    kubectl('get pod bound'),
    kubectl(
      `get pod bound -o jsonpath='{.metadata.deletionGracePeriodSeconds} {.status.conditions}'`,
    ),
    kubectl('delete pod bound --now --wait=false'),
    kubectl('get pod bound -o jsonpath={.metadata.deletionGracePeriodSeconds}'),
    kubectl('delete pod bound --force'),
    kubectl('delete pods --all'),
    kubectl('delete pods --all -l app=x'),
    kubectl('delete pods'),
    kubectl('delete pod nothing'),
    kubectl('delete nothing x'),
    kubectl('create namespace short-lived'),
    kubectl('get namespace short-lived'),
    kubectl('get namespace short-lived -o yaml'),
    kubectl('describe namespace short-lived'),
    kubectl('create configmap inside -n short-lived'),
    kubectl('create -f - -n short-lived', { stdin: FINALIZED }),
    kubectl('delete namespace short-lived --wait=false'),
    kubectl('get namespace short-lived', { until: /Terminating/ }),
    kubectl('create configmap late -n short-lived'),
    kubectl('get configmap inside -n short-lived', { until: /not found/ }),
    kubectl('get namespace short-lived -o jsonpath={.status}', {
      until: /SomeFinalizersRemain/,
      view: 'json',
    }),
    kubectl(
      `patch configmap held -n short-lived --type=merge -p '{"metadata":{"finalizers":null}}'`,
    ),
    // Whether it reports that it saw the deletion is a race.
    kubectl('wait --for=delete namespace/short-lived --timeout=60s', { view: 'code' }),
    kubectl('get namespace short-lived'),
    kubectl('create configmap x -n nowhere'),
    kubectl('delete namespace kube-system'),
    kubectl('delete namespace default'),
  ],
};
