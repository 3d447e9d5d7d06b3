/**
 * kube-scheduler does not begin before it has seen the devices of the cluster, and cannot be told not
 * to look. On a server without these kinds they are defined as custom ones, with nothing in them.
 */
import type { RunningApiServer } from './api-server.ts';
import { kubectlOrThrow } from './kubectl.ts';

const GROUP = 'resource.k8s.io';

const KINDS = [
  { kind: 'DeviceClass', plural: 'deviceclasses', scope: 'Cluster' },
  { kind: 'ResourceSlice', plural: 'resourceslices', scope: 'Cluster' },
  { kind: 'ResourceClaim', plural: 'resourceclaims', scope: 'Namespaced' },
  { kind: 'ResourceClaimTemplate', plural: 'resourceclaimtemplates', scope: 'Namespaced' },
] as const;

export async function provideDeviceKinds(server: RunningApiServer): Promise<void> {
  const offered = await kubectlOrThrow(server, `api-resources --api-group=${GROUP} -o name`);
  if (offered !== '') return;
  const items = KINDS.map(defineKind);
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  await kubectlOrThrow(server, 'create -f -', list);
  await kubectlOrThrow(server, 'wait --for=condition=Established crd --all --timeout=30s');
}

function defineKind({ kind, plural, scope }: (typeof KINDS)[number]): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${GROUP}`,
      // Groups of this name belong to Kubernetes, which wants to be asked.
      annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' },
    },
    spec: {
      group: GROUP,
      scope,
      names: { kind, plural },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      ],
    },
  };
}
