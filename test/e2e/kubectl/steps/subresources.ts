/** Subresources: bindings, evictions, approvals, tokens. */
import { kubectl, type Chapter } from '../step.ts';

const BINDING = `{"apiVersion":"v1","kind":"Binding","metadata":{"name":"web"},"target":{"apiVersion":"v1","kind":"Node","name":"far-away"}}`;
const EVICTION = `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"web"}}`;
const BUDGET = `
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: none }
spec:
  maxUnavailable: 0
  selector: { matchLabels: { app: web } }
`;
const PODS = '/api/v1/namespaces/subresources/pods';

export const subresources: Chapter = {
  title: 'subresources',
  namespace: 'subresources',
  steps: [
    kubectl('create -f $FIXTURES/pod.yaml'),
    kubectl(`create --raw ${PODS}/web/binding -f -`, { stdin: BINDING, view: 'json' }),
    kubectl('get pod web -o wide'),
    kubectl('get pod web -o jsonpath={.status.conditions}'),
    kubectl(`create --raw ${PODS}/web/binding -f -`, { stdin: BINDING, view: 'json' }),
    kubectl(`create --raw ${PODS}/nothing/binding -f -`, { stdin: BINDING, view: 'json' }),
    kubectl('create -f -', { stdin: BUDGET }),
    kubectl(`create --raw ${PODS}/web/eviction -f -`, { stdin: EVICTION, view: 'json' }),
    kubectl('delete pdb none'),
    kubectl(`patch pod web --subresource=status -p '{"status":{"phase":"Running"}}'`),
    kubectl(`create --raw ${PODS}/web/eviction -f -`, { stdin: EVICTION, view: 'json' }),
    kubectl('get pod web'),
    kubectl('get pod web -o jsonpath={.status.conditions}'),
    kubectl(`get --raw ${PODS}/web/nothing`),
    kubectl(`get --raw ${PODS}/web/status`, { view: 'json' }),
    kubectl(`create --raw ${PODS}/web/status -f -`, { stdin: '{}', view: 'json' }),
    kubectl('delete pod web --force'),
    kubectl('create -f $FIXTURES/csr.yaml'),
    kubectl('get csr zoe'),
    kubectl('get csr zoe -o yaml'),
    kubectl('certificate approve zoe'),
    kubectl('get csr zoe'),
    kubectl('certificate deny zoe'),
    kubectl('certificate approve nobody'),
    kubectl('describe csr zoe'),
    kubectl('delete csr zoe'),
    kubectl('create -f - -o yaml', {
      stdin: `apiVersion: authorization.k8s.io/v1
kind: SubjectAccessReview
spec: { user: alice, resourceAttributes: { verb: get, resource: pods, namespace: default } }
`,
    }),
    kubectl('create -f - -o jsonpath={.status}', {
      stdin: `apiVersion: authentication.k8s.io/v1
kind: TokenReview
spec: { token: nonsense }
`,
    }),
    kubectl('create -f -', {
      stdin: `apiVersion: v1
kind: Event
metadata: { name: told }
involvedObject: { kind: Pod, name: web, namespace: subresources }
reason: Told
message: something happened
type: Normal
`,
    }),
    kubectl('get events'),
    kubectl('get events --field-selector=reason=Told -o name'),
    kubectl('events --types=Normal'),
    kubectl('get namespace subresources --subresource=status -o jsonpath={.status.phase}'),
  ],
};
