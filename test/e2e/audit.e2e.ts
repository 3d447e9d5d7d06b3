/**
 * The same policy and the same kubectl commands for kube-apiserver and for podkeep: both write the same
 * audit events, except for what differs between any two runs (ids, times, versions).
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../src/lib/json.ts';
import type { RunningApiServer } from './support/api-server.ts';
import { runKubectl } from './support/kubectl.ts';
import { PodkeepUp } from './support/podkeep-up.ts';
import { RealApiServer } from './support/real-api-server.ts';

const NAMESPACE = 'audited';
const POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitManagedFields: true,
  rules: [
    { level: 'None', users: ['system:kube-controller-manager'] },
    { level: 'None', verbs: ['watch'], namespaces: ['default'] },
    {
      level: 'Metadata',
      omitStages: ['RequestReceived'],
      namespaces: [NAMESPACE],
      resources: [{ group: '', resources: ['secrets', 'serviceaccounts/token'] }],
    },
    {
      level: 'Request',
      namespaces: [NAMESPACE],
      resources: [{ group: 'rbac.authorization.k8s.io' }],
    },
    {
      level: 'RequestResponse',
      omitStages: ['RequestReceived'],
      namespaces: [NAMESPACE],
      resources: [{ group: '', resources: ['configmaps', 'configmaps/*'] }],
    },
    { level: 'Metadata', nonResourceURLs: ['/healthz*'] },
    { level: 'None' },
  ],
};

const SECRET = 'nothing-of-this-is-audited';
const COMMANDS: readonly string[] = [
  `create secret generic s -n ${NAMESPACE} --from-literal=p=${SECRET}`,
  `get secret s -n ${NAMESPACE} -o json`,
  `get secrets -n ${NAMESPACE} -o json`,
  `create configmap c -n ${NAMESPACE} --from-literal=x=y`,
  `get configmap c -n ${NAMESPACE} -o json`,
  `get configmap missing -n ${NAMESPACE} -o json`,
  `get configmap c -n ${NAMESPACE} -o json --as jane --as-group readers`,
  `patch configmap c -n ${NAMESPACE} -p {"data":{"x":"z"}}`,
  `create configmap c -n ${NAMESPACE} --from-literal=x=y`,
  `get configmaps -n ${NAMESPACE} -o json --field-selector metadata.name=c`,
  `get configmaps -n ${NAMESPACE} -o json --watch --request-timeout 2s --field-selector metadata.name=c`,
  `create role reader -n ${NAMESPACE} --verb get --resource configmaps`,
  `create rolebinding reader -n ${NAMESPACE} --role reader --user jane`,
  `get configmap c -n ${NAMESPACE} -o json --as jane`,
  `create token default -n ${NAMESPACE}`,
  `delete configmap c -n ${NAMESPACE}`,
  `delete secret s -n ${NAMESPACE} --wait=false`,
  `get --raw /healthz`,
];

const LAST_URI = '/healthz';
const DONE = 'ResponseComplete';
const PATIENCE = { timeout: 30_000 };

let folder = '';
const servers: RunningApiServer[] = [];

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'podkeep-audit-'));
  const policy = path.join(folder, 'policy.yaml');
  writeFileSync(policy, JSON.stringify(POLICY));
  const flagsFor = (name: string): readonly string[] => [
    `--audit-policy-file=${policy}`,
    `--audit-log-path=${logOf(name)}`,
  ];
  servers.push(await RealApiServer.start({ flags: flagsFor('real') }));
  servers.push(await PodkeepUp.start(flagsFor('podkeep')));
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  rmSync(folder, { recursive: true, force: true });
});

test('podkeep writes the audit events that kube-apiserver writes', async () => {
  for (const server of servers) {
    await runKubectl(server, ['create', 'namespace', NAMESPACE]);
    await waitForAccount(server);
    for (const command of COMMANDS) await runKubectl(server, command.split(' '));
  }
  // An event of the stage ResponseComplete may follow the answer that kubectl has got.
  await expect.poll(() => lastUri('real'), PATIENCE).toBe(LAST_URI);
  await expect.poll(() => lastUri('podkeep'), PATIENCE).toBe(LAST_URI);
  const [expected = [], got = []] = ['real', 'podkeep'].map(readEvents);
  expect(expected.length).toBeGreaterThan(COMMANDS.length);
  expect(got).toEqual(expected);
  expect(readFileSync(logOf('podkeep'), 'utf8')).not.toContain(SECRET);
});

/** Of the last event of the stage ResponseComplete. */
function lastUri(name: string): Json | undefined {
  const ended = readEvents(name).filter((event) => isJsonObject(event) && event['stage'] === DONE);
  const last = ended.at(-1);
  return isJsonObject(last) ? last['requestURI'] : undefined;
}

function logOf(name: string): string {
  return path.join(folder, `${name}.log`);
}

/** Until then no token can be issued, and the two servers' answers would depend on timing. */
async function waitForAccount(server: RunningApiServer): Promise<void> {
  for (;;) {
    const words = ['get', 'serviceaccount', 'default', '-n', NAMESPACE];
    if ((await runKubectl(server, words)).code === 0) return;
  }
}

/** Of the administrator: the requests of controllers have no fixed order. */
function readEvents(name: string): readonly Json[] {
  return readFileSync(logOf(name), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JsonObject)
    .filter(({ user, userAgent }) => {
      const isAdmin = isJsonObject(user) && user['username'] === 'kubernetes-admin';
      return isAdmin && JSON.stringify(userAgent).startsWith('"kubectl/');
    })
    .map((event) => normalize(event, ''));
}

const CHANGING: ReadonlySet<string> = new Set([
  'auditID',
  'uid',
  'resourceVersion',
  'requestReceivedTimestamp',
  'stageTimestamp',
  'creationTimestamp',
  'authentication.kubernetes.io/credential-id',
  'authentication.kubernetes.io/issued-credential-id',
]);

/** Values that differ between any two runs are only checked for presence. */
function normalize(value: Json, name: string): Json {
  if (CHANGING.has(name)) return '…';
  if (name === 'requestURI' && typeof value === 'string')
    return value.replaceAll(/resourceVersion=\d+/g, 'resourceVersion=…');
  if (Array.isArray(value)) return (value as readonly Json[]).map((one) => normalize(one, ''));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, normalize(one, key)] as const),
  );
}
