/** Objects without a namespace: nodes, volumes, classes. */
import { kubectl, type Chapter } from '../step.ts';

const NODE_STATUS = `{"status":{"capacity":{"cpu":"2","memory":"4Gi","pods":"110"},"allocatable":{"cpu":"2","memory":"4Gi","pods":"110"},"conditions":[{"type":"Ready","status":"True","reason":"KubeletReady","message":"ready","lastHeartbeatTime":"2026-01-01T00:00:00Z","lastTransitionTime":"2026-01-01T00:00:00Z"}],"addresses":[{"type":"InternalIP","address":"192.0.2.1"},{"type":"Hostname","address":"paper-node"}],"nodeInfo":{"architecture":"amd64","bootID":"","containerRuntimeVersion":"paper://1","kernelVersion":"6.1","kubeProxyVersion":"","kubeletVersion":"v1.36.4","machineID":"","operatingSystem":"linux","osImage":"Paper","systemUUID":""}}}`;

const BOUND = `
apiVersion: v1
kind: Pod
metadata:
  name: bound
  labels: { app: bound }
spec:
  nodeName: paper-node
  containers:
    - name: c
      image: c:1
      resources:
        requests: { cpu: 500m, memory: 1Gi }
`;

const VOLUME = `
apiVersion: v1
kind: PersistentVolume
metadata:
  name: e2e-volume
spec:
  capacity: { storage: 1Gi }
  accessModes: [ReadWriteOnce]
  hostPath: { path: /data }
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: claim
spec:
  accessModes: [ReadWriteOnce]
  resources: { requests: { storage: 1Gi } }
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: e2e-slow
provisioner: example.com/slow
`;

export const cluster: Chapter = {
  title: 'the cluster',
  namespace: 'cluster',
  steps: [
    // As it was created, before any controller changed it.
    kubectl('create -f $FIXTURES/node.yaml -o yaml'),
    kubectl('get node paper-node'),
    kubectl(`patch node paper-node --subresource=status -p '${NODE_STATUS}'`),
    kubectl('get node paper-node -o wide'),
    kubectl('create -f -', { stdin: BOUND }),
    kubectl('get pods -o wide'),
    kubectl('get pods --field-selector=spec.nodeName=paper-node -o name'),
    kubectl('describe node paper-node', { until: /Taints: +<none>[^]*RegisteredNode/ }),
    kubectl('get node paper-node -o yaml'),
    kubectl('cordon paper-node'),
    kubectl('cordon paper-node'),
    kubectl('get node paper-node'),
    kubectl('uncordon paper-node'),
    kubectl('taint node paper-node wet=yes:NoSchedule'),
    kubectl('taint node paper-node wet=yes:NoSchedule'),
    kubectl('taint node paper-node wet=yes:Sideways'),
    kubectl('taint node paper-node wet-'),
    kubectl('label node paper-node zone=a'),
    kubectl('drain paper-node'),
    kubectl('drain paper-node --force --dry-run=server'),
    kubectl('top node'),
    kubectl('logs bound --request-timeout=2s', { view: 'code' }),
    kubectl('exec nothing -- true'),
    kubectl('delete pod bound --force'),
    kubectl('delete node paper-node'),
    kubectl('create -f -', { stdin: VOLUME }),
    kubectl('get pv e2e-volume'),
    kubectl('get pvc claim'),
    kubectl('get storageclass e2e-slow'),
    kubectl('get pv e2e-volume -o yaml'),
    kubectl('get pvc claim -o yaml'),
    kubectl('get storageclass e2e-slow -o yaml'),
    kubectl('describe pv e2e-volume'),
    kubectl('describe pvc claim'),
    kubectl('delete pvc claim --wait=false'),
    kubectl('delete pv e2e-volume --wait=false'),
    kubectl('delete storageclass e2e-slow'),
    kubectl('get leases -n kube-system -o name', { view: 'code' }),
    kubectl('get componentstatuses', { view: 'code' }),
    kubectl('get csr'),
    kubectl('get ingressclasses,runtimeclasses,volumeattachments'),
    kubectl('get validatingwebhookconfigurations,mutatingwebhookconfigurations'),
  ],
};
