/**
 * Deployments and other workloads as kubectl handles them. Their controllers do not run: the steps play
 * them.
 */
import { kubectl, type Chapter } from '../step.ts';

const ROLLED_OUT = `{"status":{"observedGeneration":$GENERATION,"replicas":2,"updatedReplicas":2,"readyReplicas":2,"availableReplicas":2}}`;

const STATEFUL = `
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: db
spec:
  serviceName: db
  replicas: 1
  selector:
    matchLabels: { app: db }
  template:
    metadata:
      labels: { app: db }
    spec:
      containers:
        - { name: db, image: 'db:1' }
  volumeClaimTemplates:
    - metadata: { name: data }
      spec:
        accessModes: [ReadWriteOnce]
        resources: { requests: { storage: 1Gi } }
`;

const DAEMON = `
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: agent
spec:
  selector:
    matchLabels: { app: agent }
  template:
    metadata:
      labels: { app: agent }
    spec:
      containers:
        - { name: agent, image: 'agent:1' }
`;

const WRONG_SELECTOR = DAEMON.replace('labels: { app: agent }', 'labels: { app: other }').replace(
  'name: agent\nspec',
  'name: wrong\nspec',
);

export const workloads: Chapter = {
  title: 'workloads',
  namespace: 'workloads',
  steps: [
    kubectl('create deployment web --image=nginx:1 --replicas=2'),
    kubectl('get deployment web'),
    kubectl('rollout status deployment/web --watch=false'),
    kubectl('rollout status deployment/web --timeout=1s'),
    kubectl('get deployment web -o jsonpath={.metadata.generation}', { save: 'GENERATION' }),
    kubectl(`patch deployment web --subresource=status -p '${ROLLED_OUT}'`),
    kubectl('rollout status deployment/web'),
    kubectl('get deployment web -o wide'),
    kubectl('scale deployment web --replicas=5'),
    kubectl('scale deployment web --replicas=5 --current-replicas=2'),
    kubectl('scale deployment web --replicas=-1'),
    kubectl('scale deployment nothing --replicas=1'),
    kubectl('scale configmap kube-root-ca.crt --replicas=1'),
    kubectl('get deployment web --subresource=scale -o yaml'),
    kubectl('get deployment web --subresource=scale'),
    kubectl(`patch deployment web --subresource=scale --type=merge -p '{"spec":{"replicas":3}}'`),
    kubectl('get deployment web -o jsonpath={.spec.replicas}/{.metadata.generation}'),
    kubectl('set image deployment/web nginx=nginx:2'),
    kubectl('set env deployment/web COLOUR=blue'),
    kubectl('set env deployment/web --list'),
    kubectl('set resources deployment/web --limits=cpu=200m,memory=64Mi'),
    kubectl('set serviceaccount deployment/web robot'),
    kubectl('rollout pause deployment/web'),
    kubectl('rollout pause deployment/web'),
    kubectl('rollout resume deployment/web'),
    kubectl('rollout restart deployment/web'),
    kubectl('rollout history deployment/web'),
    kubectl('rollout undo deployment/web'),
    kubectl('get deployment web -o yaml'),
    kubectl('describe deployment web'),
    kubectl(`patch deployment web -p '{"spec":{"selector":{"matchLabels":{"app":"x"}}}}'`),
    kubectl(`patch deployment web --type=json -p '[{"op":"remove","path":"/spec/selector"}]'`),
    kubectl('create -f -', { stdin: STATEFUL }),
    kubectl('get statefulset db -o yaml'),
    kubectl('get statefulset -o wide'),
    kubectl('scale statefulset db --replicas=3'),
    kubectl(`patch statefulset db -p '{"spec":{"serviceName":"other"}}'`),
    kubectl('describe statefulset db'),
    kubectl('create -f -', { stdin: DAEMON }),
    kubectl('get daemonset agent -o yaml'),
    kubectl('get daemonset'),
    kubectl('scale daemonset agent --replicas=1'),
    kubectl('describe daemonset agent'),
    kubectl('create -f -', { stdin: WRONG_SELECTOR }),
    kubectl('get all'),
    kubectl('logs deployment/web --pod-running-timeout=1s'),
    kubectl('delete deployment,statefulset,daemonset --all'),
  ],
};
