/** Users' mistakes, and the error messages for them. */
import { kubectl, type Chapter } from '../step.ts';

const INVALID_POD = `
apiVersion: v1
kind: Pod
metadata:
  name: Wrong_Name
  labels: { "a b": c }
spec:
  restartPolicy: Sometimes
  containers:
    - name: one
      image: ""
      ports: [{ containerPort: 99999 }]
    - name: one
      image: two
      env: [{ name: "", value: x }]
      resources: { requests: { cpu: 2 }, limits: { cpu: 1 } }
`;

const WRONG_TYPE = `
apiVersion: v1
kind: Pod
metadata: { name: typed }
spec:
  containers: nothing
`;

const WRONG_KIND = 'apiVersion: v1\nkind: Poodle\nmetadata: { name: x }\n';
const WRONG_VERSION = 'apiVersion: apps/v9\nkind: Deployment\nmetadata: { name: x }\n';
const NO_KIND = 'metadata: { name: x }\n';
const NO_NAME = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n';
const OTHER_NAMESPACE =
  'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x, namespace: elsewhere }\n';
const INVALID_SERVICE = `
apiVersion: v1
kind: Service
metadata: { name: 9lives }
spec:
  type: Sideways
  ports: [{ port: 0 }, { port: 0 }]
`;
const INVALID_JOB = `
apiVersion: batch/v1
kind: Job
metadata: { name: never }
spec:
  backoffLimit: -1
  template:
    spec:
      containers: [{ name: a, image: a }]
`;
const INVALID_DEPLOYMENT = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: never }
spec:
  replicas: -2
  selector: { matchLabels: { app: a } }
  strategy: { type: RollingUpdate, rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } }
  template:
    metadata: { labels: { app: b } }
    spec:
      containers: []
`;

export const mistakes: Chapter = {
  title: 'mistakes',
  namespace: 'mistakes',
  steps: [
    kubectl('get pod nothing'),
    kubectl('get nothing'),
    kubectl('get pods.nothing.example.com'),
    kubectl('get pods/a/b'),
    kubectl('get pods -o nothing'),
    kubectl('get pod "a b"'),
    kubectl('get pods --nothing'),
    kubectl('create -f -', { stdin: INVALID_POD }),
    kubectl('create -f -', { stdin: WRONG_TYPE }),
    kubectl('create -f - --validate=false', { stdin: WRONG_TYPE }),
    kubectl('create -f -', { stdin: WRONG_KIND }),
    kubectl('create -f -', { stdin: WRONG_VERSION }),
    kubectl('create -f -', { stdin: NO_KIND }),
    kubectl('create -f -', { stdin: NO_NAME }),
    kubectl('create -f -', { stdin: OTHER_NAMESPACE }),
    kubectl('create -f -', { stdin: '{ not yaml' }),
    kubectl('create -f -', { stdin: INVALID_SERVICE }),
    kubectl('create -f -', { stdin: INVALID_JOB }),
    kubectl('create -f -', { stdin: INVALID_DEPLOYMENT }),
    kubectl('create --raw /api/v1/namespaces/mistakes/pods -f -', { stdin: '{}', view: 'json' }),
    kubectl('create --raw /api/v1/namespaces/mistakes/configmaps -f -', {
      stdin: '{"metadata":{"name":"raw"}}',
      view: 'json',
    }),
    kubectl('replace --raw /api/v1/namespaces/mistakes/configmaps/other -f -', {
      stdin: '{"metadata":{"name":"raw"}}',
      view: 'json',
    }),
    kubectl('delete --raw /api/v1/namespaces/mistakes/configmaps/raw', { view: 'json' }),
    kubectl('delete --raw /api/v1/namespaces/mistakes/configmaps/raw', { view: 'json' }),
    kubectl('get --raw /api/v1/namespaces/mistakes/pods?limit=x', { view: 'json' }),
    kubectl('get --raw /api/v1/namespaces/mistakes/pods?resourceVersion=x', { view: 'json' }),
    kubectl('get --raw /api/v1/namespaces/mistakes/pods?continue=x', { view: 'json' }),
    kubectl('get --raw /api/v1/namespaces/mistakes/pods?fieldSelector=x', { view: 'json' }),
    kubectl('get --raw /api/v1/namespaces/mistakes/pods?resourceVersionMatch=Exact', {
      view: 'json',
    }),
    kubectl('scale deployment --replicas=1'),
    kubectl('rollout status configmap/x'),
    kubectl('expose configmap x --port=1'),
    kubectl('logs nothing'),
    kubectl('attach nothing'),
    kubectl('port-forward pod/nothing 1:1'),
    kubectl('top pods'),
    kubectl('get pods --server=https://127.0.0.1:1'),
  ],
};
