/**
 * Reads the roles and bindings that kube-apiserver creates at start, and prints them as one line each.
 *
 * The source of Kubernetes has them as YAML beside the test of its bootstrap policy. Fields that are the same
 * in all of them (version, label, annotation) and empty fields are left out.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';

import { defineError } from '../../src/lib/errors.ts';
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';

export const POLICY_VERSION = 'v1.36.4';

const GO = 'go';
const FOLDER = 'plugin/pkg/auth/authorizer/rbac/bootstrappolicy/testdata';
const FILES = [
  'cluster-roles',
  'controller-roles',
  'cluster-role-bindings',
  'controller-role-bindings',
  'namespace-roles',
  'namespace-role-bindings',
];
const BOOTSTRAPPING = 'kubernetes.io/bootstrapping';

const policyMissing = defineError<{ reason: string }>({
  code: 'RBAC_POLICY_MISSING',
  retry: 'backoff',
  message: ({ reason }) => `Kubernetes' bootstrap policy cannot be read: ${reason}`,
  hint: () => 'Install Go, and check that its module proxy can be reached (go env GOPROXY).',
});

export function readPolicy(): string {
  const folder = path.join(downloadKubernetes(), FOLDER);
  const lines = FILES.flatMap((name) => {
    const list: unknown = parse(readFileSync(path.join(folder, `${name}.yaml`), 'utf8'));
    const items = isJsonObject(list) && Array.isArray(list['items']) ? list['items'] : [];
    return items.filter(isJsonObject).map((item) => JSON.stringify(shorten(item)));
  });
  return `[\n${lines.join(',\n')}\n]\n`;
}

/** Returns the folder of the module. */
function downloadKubernetes(): string {
  const args = ['mod', 'download', '-json', `k8s.io/kubernetes@${POLICY_VERSION}`];
  const env = { ...process.env, GO111MODULE: 'on', GOWORK: 'off', GOFLAGS: '' };
  const { status, stdout, stderr, error } = spawnSync(GO, args, {
    cwd: tmpdir(),
    encoding: 'utf8',
    env,
  });
  if (error || status !== 0) {
    throw policyMissing({ reason: error?.message ?? (stderr.trim() || stdout.trim()) }, error);
  }
  const { Dir }: { readonly Dir: string } = JSON.parse(stdout);
  return Dir;
}

function shorten(object: JsonObject): JsonObject {
  const { kind, metadata, apiVersion: _version, ...rest } = object;
  const { name, namespace, labels } = isJsonObject(metadata) ? metadata : {};
  const own = Object.entries(isJsonObject(labels) ? labels : {}).filter(
    ([key]) => key !== BOOTSTRAPPING,
  );
  const filled = Object.entries(rest).filter(([, value]) => value !== null);
  return {
    kind: kind ?? null,
    name: name ?? null,
    ...(namespace !== undefined && { namespace }),
    ...(own.length > 0 && { labels: Object.fromEntries(own) }),
    ...Object.fromEntries(filled),
  };
}
