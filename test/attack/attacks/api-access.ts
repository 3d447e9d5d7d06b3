/**
 * What a pod can do with its token: the service account `default` may only read discovery. The suite
 * takes the token out of a pod and uses it, as the pod could.
 */
import { request } from 'node:https';
import { readAccess } from '../../e2e/support/kubeconfig.ts';
import { NEIGHBOUR } from '../harness/neighbour.ts';
import { podAttack, WAIT } from '../harness/pod-attack.ts';
import type { Target } from '../harness/target.ts';
import type { Attack } from '../harness/types.ts';

const KIND = 'api';
const TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';
const DEFAULT = '/api/v1/namespaces/default';

interface Question {
  readonly id: string;
  readonly tries: string;
  readonly method?: string;
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'made-by-token' },
  spec: {
    containers: [{ name: 'main', image: 'sh', command: ['true'] }],
    volumes: [{ name: 'root', hostPath: { path: '/' } }],
  },
};
const admin = { 'impersonate-user': 'admin', 'impersonate-group': 'system:masters' };
const rule = { apiVersion: 'rbac.authorization.k8s.io/v1' };
const binding = {
  ...rule,
  kind: 'ClusterRoleBinding',
  metadata: { name: 'made-by-token' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'default' }],
};
const label = { metadata: { labels: { changed: 'yes' } } };

const QUESTIONS: readonly Question[] = [
  { id: 'secrets', tries: 'lists Secrets', path: `${DEFAULT}/secrets` },
  { id: 'secrets-everywhere', tries: 'lists Secrets of all namespaces', path: '/api/v1/secrets' },
  {
    id: 'secret',
    tries: 'reads the Secret of another pod',
    path: `${DEFAULT}/secrets/${NEIGHBOUR}`,
  },
  { id: 'pods', tries: 'lists pods', path: `${DEFAULT}/pods` },
  { id: 'log', tries: 'reads the log of another pod', path: `${DEFAULT}/pods/${NEIGHBOUR}/log` },
  {
    id: 'exec',
    tries: 'runs a command in another pod',
    method: 'POST',
    path: `${DEFAULT}/pods/${NEIGHBOUR}/exec?command=true&stdout=1`,
  },
  { id: 'create', tries: 'creates a pod', method: 'POST', path: `${DEFAULT}/pods`, body: pod },
  {
    id: 'delete',
    tries: 'deletes another pod',
    method: 'DELETE',
    path: `${DEFAULT}/pods/${NEIGHBOUR}`,
  },
  {
    id: 'patch',
    tries: 'changes another pod',
    method: 'PATCH',
    path: `${DEFAULT}/pods/${NEIGHBOUR}`,
    body: label,
  },
  { id: 'node', tries: 'reads the node', path: '/api/v1/nodes/node-1' },
  {
    id: 'node-status',
    tries: 'changes the status of the node',
    method: 'PATCH',
    path: '/api/v1/nodes/node-1/status',
    body: label,
  },
  {
    id: 'node-proxy',
    tries: 'asks the kubelet by the node',
    path: '/api/v1/nodes/node-1/proxy/pods',
  },
  {
    id: 'token',
    tries: 'makes a token of another account',
    method: 'POST',
    path: '/api/v1/namespaces/kube-system/serviceaccounts/default/token',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  },
  {
    id: 'bind',
    tries: 'gives itself all rights',
    method: 'POST',
    path: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    body: binding,
  },
  {
    id: 'impersonate',
    tries: 'asks as an administrator',
    path: `${DEFAULT}/secrets`,
    headers: admin,
  },
  { id: 'metrics', tries: 'reads metrics', path: '/metrics' },
];

function ask({ kubeconfig }: Target, token: string, question: Question): Promise<string> {
  const { server, ca } = readAccess(kubeconfig);
  const { method = 'GET', path, body, headers = {} } = question;
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const all = { authorization: `Bearer ${token}`, 'content-type': type, ...headers };
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, server), { method, ca, headers: all, timeout: 10_000 });
    sent.on('response', (answer) => {
      answer.resume();
      resolve(`ANSWER ${answer.statusCode ?? 0}\n`);
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

export const API_ACCESS: readonly Attack[] = QUESTIONS.map((question) =>
  podAttack({
    class: KIND,
    id: question.id,
    tries: `With the token of its pod it ${question.tries}.`,
    pod: { spec: { automountServiceAccountToken: true } },
    script: WAIT,
    drive: async (target, { name }) => {
      const command = ['cat', TOKEN];
      const { output } = await target.exec({ pod: name, container: 'main', command });
      const token = /[\w-]+\.[\w-]+\.[\w-]+/.exec(output)?.[0];
      return token === undefined ? `no token: ${output}` : ask(target, token, question);
    },
    proof: /^ANSWER 403$/m,
    check: (_target, _pod, output) =>
      /^ANSWER (?:1|2|5)\d\d$/m.test(output) ? 'it was answered' : undefined,
  }),
);
