/** The objects that kubeadm creates in a cluster so that nodes can join it with a token. */
import type { JsonObject } from '../../../src/lib/json.ts';

const GROUP = 'system:bootstrappers:kubeadm:default-node-token';
const NODE_CLIENT = 'system:certificates.k8s.io:certificatesigningrequests:nodeclient';
const SELF_NODE_CLIENT = 'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient';

export const BOOTSTRAP_TOKEN = { id: 'abcdef', secret: '0123456789abcdef' };

export function bootstrapObjects(): readonly JsonObject[] {
  const { id, secret } = BOOTSTRAP_TOKEN;
  return [
    binding('kubeadm:kubelet-bootstrap', 'system:node-bootstrapper', GROUP),
    binding('kubeadm:node-autoapprove-bootstrap', NODE_CLIENT, GROUP),
    binding('kubeadm:node-autoapprove-certificate-rotation', SELF_NODE_CLIENT, 'system:nodes'),
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
      type: 'bootstrap.kubernetes.io/token',
      stringData: {
        'token-id': id,
        'token-secret': secret,
        'usage-bootstrap-authentication': 'true',
        'usage-bootstrap-signing': 'true',
        'auth-extra-groups': GROUP,
      },
    },
  ];
}

function binding(name: string, role: string, group: string): JsonObject {
  const apiGroup = 'rbac.authorization.k8s.io';
  return {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup, kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup, kind: 'Group', name: group }],
  };
}
