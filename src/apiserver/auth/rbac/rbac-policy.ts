/**
 * Provides the default roles and bindings of every cluster. Their contents come from Kubernetes' source
 * (scripts/update-rbac.ts); this file adds the metadata that all of them share.
 *
 * Two objects are not kube-apiserver's. The ClusterRole for reading metrics is the one that metrics-server
 * installs, because this server serves the metrics API itself. One binding is podkeep's own: where kubeadm
 * puts the API server's kubelet client certificate into a group of administrators, podkeep binds the user of
 * that certificate to the role for the API of kubelets only.
 */
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import { KUBELET_CLIENT_USER } from '../kubelet-client.ts';
import { readRules, type PolicyRule } from './policy-rule.ts';
import type { KindDefinition } from '../../objects/kind.ts';
import { clusterRoleBindings, roleBindings } from '../../kinds/rbac/rbac-binding.ts';
import { clusterRoles, RBAC, roles } from '../../kinds/rbac/rbac-role.ts';
import { readStruct, readText } from '../../../api/validation/json-reading.ts';
import table from './rbac-policy.generated.json' with { type: 'json' };

export interface PolicyObject {
  readonly definition: KindDefinition;
  readonly namespace: string;
  readonly name: string;
  /** In the form in which a client would post it. */
  readonly object: JsonObject;
}

/** `true`: the server updates the object when it starts. An administrator may set `false`. */
export const AUTO_UPDATE = 'rbac.authorization.kubernetes.io/autoupdate';
const BOOTSTRAPPING = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };

const DEFINITIONS: ReadonlyMap<string, KindDefinition> = new Map(
  [clusterRoles, roles, clusterRoleBindings, roleBindings].map((one) => [one.kind, one]),
);

const kubeletClientBinding: JsonObject = {
  kind: 'ClusterRoleBinding',
  name: 'podkeep:kubelet-api-admin',
  subjects: [{ kind: 'User', apiGroup: RBAC, name: KUBELET_CLIENT_USER }],
  roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'system:kubelet-api-admin' },
};

const metricsReader: JsonObject = {
  kind: 'ClusterRole',
  name: 'system:aggregated-metrics-reader',
  labels: Object.fromEntries(
    ['view', 'edit', 'admin'].map((role) => [
      `rbac.authorization.k8s.io/aggregate-to-${role}`,
      'true',
    ]),
  ),
  rules: [
    {
      apiGroups: ['metrics.k8s.io'],
      resources: ['pods', 'nodes'],
      verbs: ['get', 'list', 'watch'],
    },
  ],
};

const lines: readonly unknown[] = [...table, metricsReader, kubeletClientBinding];

export function policyObjects(): readonly PolicyObject[] {
  return lines.filter(isJsonObject).flatMap((line) => {
    const definition = DEFINITIONS.get(readText(line['kind']));
    return definition ? [makeObject(definition, line)] : [];
  });
}

/** The permissions of every kubelet on resources that the node authorizer does not handle. */
export function nodeRules(): readonly PolicyRule[] {
  const isNodeRole = ({ kind, name }: JsonObject): boolean =>
    kind === 'ClusterRole' && name === 'system:node';
  const line = lines.filter(isJsonObject).find(isNodeRole);
  return readRules(line ?? {});
}

function makeObject(definition: KindDefinition, line: JsonObject): PolicyObject {
  const { kind, name: given, namespace: place, labels, ...rest } = line;
  const [name, namespace] = [readText(given), readText(place)];
  const object = {
    kind: readText(kind),
    apiVersion: `${RBAC}/v1`,
    metadata: {
      name,
      ...(namespace !== '' && { namespace }),
      labels: { ...BOOTSTRAPPING, ...readStruct(labels) },
      annotations: { [AUTO_UPDATE]: 'true' },
    },
    ...rest,
  };
  return { definition, namespace, name, object };
}
