/** The smallest acceptable object of each built-in kind, by group, version and plural. */
import { makeCertificateRequest } from './certificate-requests.ts';
import type { JsonObject } from '../../src/lib/json.ts';

const labels = { app: 'web' };
const podSpec = { containers: [{ name: 'c', image: 'nginx:1' }] };
const template = { metadata: { labels }, spec: podSpec };
const jobTemplate = { metadata: { labels }, spec: { ...podSpec, restartPolicy: 'Never' } };
const selector = { matchLabels: labels };
const roleRef = { kind: 'ClusterRole', name: 'reader' };
const rule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
const webhook = {
  name: 'check.example.com',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  clientConfig: { url: 'https://example.com' },
};
const resourceRules = [
  { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['*'] },
];
const request = makeCertificateRequest({ commonName: 'jane' });

const schema = { openAPIV3Schema: { type: 'object' } };
const boats = {
  group: 'example.com',
  scope: 'Namespaced',
  names: { kind: 'Boat', plural: 'boats' },
  versions: [{ name: 'v1', served: true, storage: true, schema }],
};
const deviceClaim = {
  devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu.example.com' } }] },
};

export const SAMPLES: Readonly<Record<string, JsonObject>> = {
  'apiextensions.k8s.io/v1/customresourcedefinitions': {
    metadata: { name: 'boats.example.com' },
    spec: boats,
  },
  'v1/configmaps': { data: { a: 'b' } },
  'v1/endpoints': { subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }] },
  'v1/events': { involvedObject: { kind: 'Pod', name: 'x', namespace: 'default' } },
  'v1/limitranges': { spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] } },
  'v1/namespaces': {},
  'v1/nodes': { status: { capacity: { cpu: '4' } } },
  'v1/persistentvolumeclaims': {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
  'v1/persistentvolumes': {
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      hostPath: { path: '/d' },
    },
  },
  'v1/pods': { spec: podSpec },
  'v1/podtemplates': { template },
  'v1/replicationcontrollers': { spec: { template } },
  'v1/resourcequotas': { spec: { hard: { pods: '3' } } },
  'v1/secrets': { stringData: { password: 'secret' } },
  'v1/serviceaccounts': {},
  'v1/services': { spec: { selector: labels, ports: [{ port: 80 }] } },
  'apiregistration.k8s.io/v1/apiservices': {
    metadata: { name: 'v1.apps' },
    spec: { group: 'apps', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10 },
  },
  'apps/v1/controllerrevisions': { revision: 1, data: { spec: {} } },
  'apps/v1/daemonsets': { spec: { selector, template } },
  'apps/v1/deployments': { spec: { selector, template } },
  'apps/v1/replicasets': { spec: { selector, template } },
  'apps/v1/statefulsets': { spec: { selector, template, serviceName: 'web' } },
  'events.k8s.io/v1/events': {
    regarding: { kind: 'Pod', name: 'x', namespace: 'default' },
    eventTime: '2026-01-02T03:04:05.000000Z',
    reportingController: 'example.com/k',
    reportingInstance: 'k-1',
    action: 'Start',
    reason: 'Started',
    type: 'Normal',
  },
  'autoscaling/v2/horizontalpodautoscalers': {
    spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'web' } },
  },
  'autoscaling/v1/horizontalpodautoscalers': {
    spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'web' } },
  },
  'batch/v1/jobs': { spec: { template: jobTemplate } },
  'batch/v1/cronjobs': {
    spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: jobTemplate } } },
  },
  'certificates.k8s.io/v1/certificatesigningrequests': {
    spec: { request, signerName: 'example.com/signer', usages: ['client auth'] },
  },
  'networking.k8s.io/v1/ingresses': {
    spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
  },
  'networking.k8s.io/v1/ingressclasses': { spec: { controller: 'example.com/ingress' } },
  'networking.k8s.io/v1/networkpolicies': { spec: { podSelector: {} } },
  'networking.k8s.io/v1/ipaddresses': {
    metadata: { name: '192.0.2.7' },
    spec: { parentRef: { resource: 'services', namespace: 'default', name: 'web' } },
  },
  'networking.k8s.io/v1/servicecidrs': { spec: { cidrs: ['192.0.2.0/24'] } },
  'policy/v1/poddisruptionbudgets': { spec: { minAvailable: 1, selector } },
  'rbac.authorization.k8s.io/v1/clusterrolebindings': { roleRef },
  'rbac.authorization.k8s.io/v1/clusterroles': { rules: [rule] },
  'rbac.authorization.k8s.io/v1/rolebindings': { roleRef },
  'rbac.authorization.k8s.io/v1/roles': { rules: [rule] },
  'storage.k8s.io/v1/csidrivers': {},
  'storage.k8s.io/v1/csinodes': { spec: { drivers: [{ name: 'd', nodeID: 'n' }] } },
  'storage.k8s.io/v1/csistoragecapacities': { storageClassName: 'fast' },
  'storage.k8s.io/v1/storageclasses': { provisioner: 'example.com/disk' },
  'storage.k8s.io/v1/volumeattachments': {
    spec: { attacher: 'example.com/disk', nodeName: 'n', source: { persistentVolumeName: 'v' } },
  },
  'storage.k8s.io/v1/volumeattributesclasses': {
    driverName: 'disk.example.com',
    parameters: { iops: '100' },
  },
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicies': {
    spec: {
      matchConstraints: { resourceRules },
      reinvocationPolicy: 'Never',
      mutations: [
        { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } },
      ],
    },
  },
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings': { spec: { policyName: 'p' } },
  'admissionregistration.k8s.io/v1/mutatingwebhookconfigurations': { webhooks: [webhook] },
  'admissionregistration.k8s.io/v1/validatingadmissionpolicies': {
    spec: { matchConstraints: { resourceRules }, validations: [{ expression: 'true' }] },
  },
  'admissionregistration.k8s.io/v1/validatingadmissionpolicybindings': {
    spec: { policyName: 'p', validationActions: ['Deny'] },
  },
  'admissionregistration.k8s.io/v1/validatingwebhookconfigurations': { webhooks: [webhook] },
  'scheduling.k8s.io/v1/priorityclasses': { value: 10 },
  'coordination.k8s.io/v1/leases': { spec: { holderIdentity: 'n', leaseDurationSeconds: 40 } },
  'node.k8s.io/v1/runtimeclasses': { handler: 'runc' },
  'discovery.k8s.io/v1/endpointslices': {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['192.0.2.1'] }],
    ports: [{ port: 80 }],
  },
  'resource.k8s.io/v1/deviceclasses': {
    spec: { selectors: [{ cel: { expression: 'true' } }] },
  },
  'resource.k8s.io/v1/resourceclaims': { spec: deviceClaim },
  'resource.k8s.io/v1/resourceclaimtemplates': { spec: { spec: deviceClaim } },
  'resource.k8s.io/v1/resourceslices': {
    spec: {
      driver: 'gpu.example.com',
      nodeName: 'n',
      pool: { name: 'n', generation: 1, resourceSliceCount: 1 },
      devices: [{ name: 'gpu-0', attributes: { model: { string: 'a' } } }],
    },
  },
  'flowcontrol.apiserver.k8s.io/v1/flowschemas': {
    spec: { priorityLevelConfiguration: { name: 'slow' } },
  },
  'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations': {
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } },
  },
};
