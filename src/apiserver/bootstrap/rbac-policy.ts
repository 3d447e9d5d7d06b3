/**
 * The roles and bindings that every cluster starts with. What is in them is Kubernetes' interface and
 * comes from its source (scripts/update-rbac.ts); here they are given what all of them have.
 *
 * One binding is podkeep's own: kubeadm puts the API server's client certificate for kubelets into a group
 * of administrators, podkeep binds its user to the role of the kubelet's API and nothing else.
 */
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { KUBELET_CLIENT_USER } from '../auth/kubelet-client.ts';
import { readRules, type PolicyRule } from '../auth/rbac/policy-rule.ts';
import type { KindDefinition } from '../kind.ts';
import { clusterRoleBindings, roleBindings } from '../kinds/rbac-binding.ts';
import { clusterRoles, RBAC, roles } from '../kinds/rbac-role.ts';
import { readStruct, readText } from '../kinds/validation/json-reading.ts';
import table from './rbac-policy.generated.json' with { type: 'json' };

export interface PolicyObject {
  readonly definition: KindDefinition;
  readonly namespace: string;
  readonly name: string;
  /** As it would be posted. */
  readonly object: JsonObject;
}

/** `true`: the server brings it up to date at its start; somebody may say `false`. */
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

const lines: readonly unknown[] = [...table, kubeletClientBinding];

export function policyObjects(): readonly PolicyObject[] {
  return lines.filter(isJsonObject).flatMap((line) => {
    const definition = DEFINITIONS.get(readText(line['kind']));
    return definition ? [makeObject(definition, line)] : [];
  });
}

/** What every kubelet may do, beyond what it may do with what is its own. */
export function nodeRules(): readonly PolicyRule[] {
  const isNodeRole = ({ kind, name }: JsonObject): boolean =>
    kind === 'ClusterRole' && name === 'system:node';
  const line = lines.filter(isJsonObject).find(isNodeRole);
  return readRules(line ?? {});
}

function makeObject(definition: KindDefinition, line: JsonObject): PolicyObject {
  const { kind, name: said, namespace: place, labels, ...rest } = line;
  const [name, namespace] = [readText(said), readText(place)];
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
