import { expect, it } from 'vitest';
import { builtInKinds } from '../kinds/built-in-kinds.ts';
import { STORED_ONLY_KINDS } from './stored-only-kinds.ts';

/** Kinds that a part of podkeep acts on (which one), or that nothing acts on in Kubernetes either. */
const ACTED_ON = [
  'apiservices.apiregistration.k8s.io', // the aggregator
  'bindings', // are carried out
  'certificatesigningrequests.certificates.k8s.io', // certificate-signer
  'clusterrolebindings.rbac.authorization.k8s.io', // the authorizer
  'clusterroles.rbac.authorization.k8s.io',
  'componentstatuses', // are read only
  'configmaps', // the kubelet
  'controllerrevisions.apps', // history of controllers, nothing acts on it
  'cronjobs.batch', // workload controllers
  'customresourcedefinitions.apiextensions.k8s.io',
  'daemonsets.apps', // workload controllers
  'deployments.apps',
  'endpoints', // services/proxy
  'endpointslices.discovery.k8s.io', // written by controllers
  'events',
  'events.events.k8s.io',
  'horizontalpodautoscalers.autoscaling', // workload controllers
  'jobs.batch', // workload controllers
  'leases.coordination.k8s.io',
  'limitranges', // admission
  'localsubjectaccessreviews.authorization.k8s.io', // are answered
  'mutatingadmissionpolicies.admissionregistration.k8s.io', // admission
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io', // admission
  'namespaces',
  'nodes',
  'persistentvolumeclaims', // workload controllers
  'persistentvolumes', // workload controllers; the kubelet mounts what a claim is bound to
  'poddisruptionbudgets.policy', // workload controllers and evictions
  'pods',
  'podtemplates', // nothing acts on them
  'priorityclasses.scheduling.k8s.io', // admission
  'replicasets.apps',
  'replicationcontrollers',
  'resourcequotas', // admission
  'rolebindings.rbac.authorization.k8s.io',
  'roles.rbac.authorization.k8s.io',
  'runtimeclasses.node.k8s.io', // admission, the kubelet
  'secrets',
  'selfsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectreviews.authentication.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
  'serviceaccounts',
  'statefulsets.apps', // workload controllers
  'subjectaccessreviews.authorization.k8s.io',
  'tokenreviews.authentication.k8s.io',
  'validatingadmissionpolicies.admissionregistration.k8s.io', // admission
  'validatingadmissionpolicybindings.admissionregistration.k8s.io',
  'validatingwebhookconfigurations.admissionregistration.k8s.io', // admission
];

it('every kind is acted on, or listed as stored only', () => {
  const served = builtInKinds.map(({ group, resource }) =>
    group === '' ? resource : `${resource}.${group}`,
  );
  const listed = [...ACTED_ON, ...STORED_ONLY_KINDS.map(({ resource }) => resource)];
  expect([...new Set(listed)].toSorted()).toEqual([...new Set(served)].toSorted());
});

it('every sentence names podkeep, so that its author is known, and fits on a line of a terminal', () => {
  for (const { sentence } of STORED_ONLY_KINDS) {
    expect(sentence).toMatch(/^podkeep \S/);
    expect(sentence.length).toBeLessThan(160);
  }
});
