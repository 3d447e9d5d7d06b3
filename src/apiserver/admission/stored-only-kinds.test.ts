import { expect, it } from 'vitest';
import { builtInKinds } from '../kinds/built-in-kinds.ts';
import { STORED_ONLY_KINDS } from './stored-only-kinds.ts';

/** On which podkeep acts, and what does; or on which nothing acts in Kubernetes either. */
const ACTED_ON = [
  'bindings', // are carried out
  'certificatesigningrequests.certificates.k8s.io', // certificate-signer
  'clusterrolebindings.rbac.authorization.k8s.io', // the authorizer
  'clusterroles.rbac.authorization.k8s.io',
  'componentstatuses', // are read only
  'configmaps', // the kubelet
  'controllerrevisions.apps', // history of controllers, nothing acts on it
  'customresourcedefinitions.apiextensions.k8s.io', // but for conversion webhooks
  'endpoints', // services/proxy
  'endpointslices.discovery.k8s.io', // written by controllers
  'events',
  'events.events.k8s.io',
  'leases.coordination.k8s.io',
  'limitranges', // admission
  'localsubjectaccessreviews.authorization.k8s.io', // are answered
  'namespaces',
  'nodes',
  'persistentvolumes', // the kubelet mounts what a claim is bound to
  'pods',
  'podtemplates', // nothing acts on them
  'priorityclasses.scheduling.k8s.io', // admission
  'resourcequotas', // admission
  'rolebindings.rbac.authorization.k8s.io',
  'roles.rbac.authorization.k8s.io',
  'secrets',
  'selfsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectreviews.authentication.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
  'serviceaccounts',
  'subjectaccessreviews.authorization.k8s.io',
  'tokenreviews.authentication.k8s.io',
];

it('every kind is acted on, or listed as one that is only stored', () => {
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
