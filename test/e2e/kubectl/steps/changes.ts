/** The many ways to change an existing object. */
import { kubectl, type Chapter } from '../step.ts';

const STALE = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: notes
  resourceVersion: "1"
data:
  a: stale
`;

const REPLACED = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: notes
data:
  whole: new
`;

const APPLIED = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: shared
data:
  ours: one
`;

const APPLIED_BY_OTHERS = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: shared
data:
  ours: two
  theirs: three
`;

export const changes: Chapter = {
  title: 'changes',
  namespace: 'changes',
  steps: [
    kubectl('create configmap notes --from-literal=a=1'),
    kubectl('create -f $FIXTURES/pod.yaml'),
    kubectl('label configmap notes colour=blue size=small'),
    kubectl('label configmap notes colour=red'),
    kubectl('label configmap notes colour=red --overwrite'),
    kubectl('label configmap notes colour=red --overwrite'),
    kubectl('label configmap notes colour-'),
    kubectl('label configmap notes colour-'),
    kubectl(`label configmap notes 'bad key=1'`),
    kubectl('label pods --all seen=yes'),
    kubectl('label pods -l app=web --list', { view: 'set' }),
    kubectl('annotate configmap notes who=me'),
    kubectl('annotate configmap notes who=you'),
    kubectl('annotate configmap notes who=you --overwrite --resource-version=1'),
    kubectl('annotate configmap notes who-'),
    kubectl(`patch configmap notes -p '{"data":{"b":"2"}}'`),
    kubectl(`patch configmap notes -p '{"data":{"b":"2"}}'`),
    kubectl(`patch configmap notes --type=merge -p '{"data":{"a":null,"c":"3"}}' -o yaml`),
    kubectl(
      `patch configmap notes --type=json -p '[{"op":"replace","path":"/data/c","value":"4"}]'`,
    ),
    kubectl(`patch configmap notes --type=json -p '[{"op":"test","path":"/data/c","value":"9"}]'`),
    kubectl(`patch configmap notes --type=json -p '[{"op":"remove","path":"/data/zzz"}]'`),
    kubectl(`patch configmap notes --type=merge -p '{"data":['`),
    kubectl(`patch configmap notes -p '{"data":{"n":1}}'`),
    kubectl(`patch configmap notes -p '{"metadata":{"name":"other"}}'`),
    kubectl(`patch configmap notes -p '{"x":1}'`),
    kubectl(`patch configmap nothing -p '{}'`),
    kubectl(
      `patch pod web -p '{"spec":{"containers":[{"name":"nginx","image":"nginx:1.30"}]}}' -o jsonpath={.spec.containers}`,
    ),
    kubectl(`patch pod web -p '{"spec":{"nodeName":"x"}}'`),
    kubectl(`patch pod web -p '{"spec":{"restartPolicy":"Never"}}'`),
    kubectl(`patch pod web --subresource=status -p '{"status":{"phase":"Running"}}'`),
    kubectl('get pod web'),
    kubectl('replace -f -', { stdin: REPLACED }),
    kubectl('get configmap notes -o yaml'),
    kubectl('replace -f -', { stdin: STALE }),
    kubectl('replace -f -', { stdin: REPLACED.replace('notes', 'nobody') }),
    kubectl('replace --force -f -', { stdin: REPLACED }),
    kubectl('edit configmap notes', { editor: 'sed -i s/new/newer/' }),
    kubectl('edit configmap notes', { editor: 'true' }),
    kubectl('edit configmap notes -o json', { editor: 'sed -i s/newer/newest/' }),
    kubectl('get configmap notes -o jsonpath={.data}'),
    kubectl('edit configmap nothing', { editor: 'true' }),
    kubectl('set image pod/web nginx=nginx:1.31'),
    kubectl('set image pod/web nothing=nginx:1.31'),
    kubectl('apply --server-side -f -', { stdin: APPLIED }),
    kubectl('apply --server-side -f -', { stdin: APPLIED }),
    kubectl('apply --server-side --field-manager=other -f -', { stdin: APPLIED_BY_OTHERS }),
    kubectl('apply --server-side --field-manager=other --force-conflicts -f -', {
      stdin: APPLIED_BY_OTHERS,
    }),
    kubectl('get configmap shared -o yaml --show-managed-fields'),
    kubectl('diff --server-side -f -', { stdin: APPLIED }),
    kubectl('debug pod/web --image=busybox:1 --container=look --profile=general -q'),
    kubectl('get pod web -o jsonpath={.spec.ephemeralContainers}'),
    kubectl(
      `patch pod web --subresource=resize -p '{"spec":{"containers":[{"name":"nginx","resources":{"requests":{"cpu":"200m"}}}]}}'`,
    ),
    kubectl('get pod web -o jsonpath={.spec.containers[0].resources}'),
    kubectl('get pod web -o yaml --show-managed-fields'),
  ],
};
