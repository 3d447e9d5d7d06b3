/**
 * Reads a kubeconfig: the cluster and the user of one context.
 *
 * Paths are relative to the folder of the file. As in kubectl, inline data takes precedence over a path. A
 * setting that podkeep does not support is refused, never ignored: a node that ignores a security setting is
 * worse than one that does not start.
 */
import path from 'node:path';
import { assert } from '../../lib/assert.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { isUntrusted, readTrustedFile } from '../../lib/trusted-file.ts';
import type { ClusterAccess, PemSource, UserAccess } from './cluster-access.ts';
import { ConfigFields } from './config-fields.ts';
import { readExecPlugin } from './exec-config.ts';
import { kubeconfigInvalid, kubeconfigUnreadable } from './kubeconfig-errors.ts';

/**
 * `context`: the context to use. Absent: the current context of the file. As in kubectl, if several files
 * define a context, cluster or user of the same name, or a current context, the first file counts.
 */
export async function loadKubeconfig(
  files: string | readonly string[],
  context?: string,
): Promise<ClusterAccess> {
  const paths = [files].flat().map((file) => path.resolve(file));
  const fields = await Promise.all(
    paths.map(async (file) => new ConfigFields(file, '', await parseFile(file))),
  );
  const [first] = fields;
  assert(first !== undefined, 'there is at least one kubeconfig');
  const named = fields.map((one) => one.text('current-context')).find((text) => text !== undefined);
  const name = context ?? named;
  if (name === undefined) throw first.invalid('current-context', 'is missing');
  const chosen = find(fields, 'contexts', name, 'context', 'current-context');
  const clusterName = chosen.text('cluster');
  if (clusterName === undefined) throw chosen.invalid('cluster', 'is missing');
  const cluster = find(fields, 'clusters', clusterName, 'cluster', chosen.pathTo('cluster'));
  const userName = chosen.text('user');
  const user =
    userName === undefined
      ? undefined
      : find(fields, 'users', userName, 'user', chosen.pathTo('user'));
  const access = await readCluster(cluster);
  return {
    ...access,
    namespace: chosen.text('namespace') ?? 'default',
    user: user ? readUser(user, cluster, access) : { headers: {} },
  };
}

async function parseFile(file: string): Promise<JsonObject> {
  const text = readText(file);
  const { parse } = await import('yaml');
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    const problem = `is not YAML: ${error instanceof Error ? error.message : String(error)}`;
    throw kubeconfigInvalid({ file, field: '', problem }, error);
  }
  if (!isJsonObject(value)) throw kubeconfigInvalid({ file, field: '', problem: 'is empty' });
  return value;
}

/** Finds the named entry of a list, and returns the given part of it. */
function find(
  files: readonly ConfigFields[],
  list: string,
  name: string,
  part: string,
  wantedBy: string,
): ConfigFields {
  const entries = files.flatMap((one) => one.parts(list));
  const entry = entries.find((one) => one.text('name') === name);
  if (!entry) {
    const problem = `names ${JSON.stringify(name)}, which is not in ${list}`;
    const file = files.map((one) => one.file).join(path.delimiter);
    throw kubeconfigInvalid({ file, field: wantedBy, problem });
  }
  // Paths are relative to the file that has the entry.
  return entry.part(part) ?? new ConfigFields(entry.file, entry.pathTo(part), {});
}

type ClusterEntry = Omit<ClusterAccess, 'namespace' | 'user'>;

async function readCluster(cluster: ConfigFields): Promise<ClusterEntry> {
  const server = readServer(cluster, 'server', ['https:', 'http:']);
  if (server === undefined) throw cluster.invalid('server', 'is missing');
  const caFile = cluster.filePath('certificate-authority');
  const data = cluster.data('certificate-authority-data');
  const ca = data ?? (caFile === undefined ? undefined : readText(caFile));
  const insecureSkipTlsVerify = cluster.flag('insecure-skip-tls-verify');
  if (insecureSkipTlsVerify && ca !== undefined) {
    const problem = 'cannot be set together with a certificate authority';
    throw cluster.invalid('insecure-skip-tls-verify', problem);
  }
  if (ca !== undefined && !ca.includes('-----BEGIN ')) {
    throw cluster.invalid('certificate-authority', 'holds no PEM certificate');
  }
  const serverName = cluster.text('tls-server-name');
  const proxyUrl = readServer(cluster, 'proxy-url', ['http:', 'https:', 'socks5:', 'socks5h:']);
  return {
    server: server.replace(/\/+$/, ''),
    insecureSkipTlsVerify,
    ...(ca !== undefined && { ca }),
    ...(data === undefined && caFile !== undefined && { caFile }),
    ...(serverName !== undefined && { serverName }),
    ...(proxyUrl !== undefined && { proxyUrl }),
  };
}

function readServer(
  fields: ConfigFields,
  name: string,
  schemes: readonly string[],
): string | undefined {
  const text = fields.text(name);
  if (text === undefined) return undefined;
  // As in kubectl, a host without a scheme means HTTP.
  const full = text.includes('://') ? text : `http://${text}`;
  if (!URL.canParse(full)) throw fields.invalid(name, `is not a URL: ${text}`);
  const { protocol } = new URL(full);
  if (!schemes.includes(protocol)) {
    throw fields.invalid(name, `must begin with ${schemes.map((one) => `${one}//`).join(' or ')}`);
  }
  return full;
}

function readUser(user: ConfigFields, cluster: ConfigFields, place: ClusterEntry): UserAccess {
  if (user.part('auth-provider')) {
    throw user.invalid('auth-provider', 'is not supported any more; use an exec plugin');
  }
  const certificate = readPem(user, 'client-certificate');
  const key = readPem(user, 'client-key');
  if (certificate && !key) throw user.invalid('client-key', 'is missing beside the certificate');
  if (key && !certificate) throw user.invalid('client-certificate', 'is missing beside the key');
  const [token, tokenFile] = [user.text('token'), user.filePath('tokenFile')];
  const [username, password] = [user.text('username'), user.text('password') ?? ''];
  const exec = readExecPlugin(user, cluster, place);
  return {
    ...(certificate && { certificate }),
    ...(key && { key }),
    ...(token !== undefined && { token }),
    ...(tokenFile !== undefined && { tokenFile }),
    ...(username !== undefined && { basic: { username, password } }),
    ...(exec && { exec }),
    headers: readImpersonation(user),
  };
}

function readPem(user: ConfigFields, name: string): PemSource | undefined {
  const pem = user.data(`${name}-data`);
  if (pem !== undefined) return { pem };
  const file = user.filePath(name);
  return file === undefined ? undefined : { file };
}

function readImpersonation(user: ConfigFields): UserAccess['headers'] {
  const [name, uid, groups] = [user.text('as'), user.text('as-uid'), user.texts('as-groups')];
  const extra = user.textLists('as-user-extra');
  const isMore = uid !== undefined || groups.length > 0 || extra.length > 0;
  if (name === undefined && isMore)
    throw user.invalid('as', 'is missing beside as-uid or as-groups');
  return {
    ...(name !== undefined && { 'impersonate-user': [name] }),
    ...(uid !== undefined && { 'impersonate-uid': [uid] }),
    ...(groups.length > 0 && { 'impersonate-group': groups }),
    ...Object.fromEntries(
      extra.map(([key, values]) => [
        `impersonate-extra-${encodeURIComponent(key).toLowerCase()}`,
        values,
      ]),
    ),
  };
}

function readText(file: string): string {
  try {
    return readTrustedFile(file);
  } catch (error) {
    if (isUntrusted(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw kubeconfigUnreadable({ file, reason }, error);
  }
}
