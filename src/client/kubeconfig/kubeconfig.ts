/**
 * Reads a kubeconfig: which cluster its context names, and as whom to go there.
 *
 * Paths in it are relative to its own folder. What stands in it as data counts more than what stands
 * beside it as a path, as for kubectl. What podkeep cannot do is refused, never left out silently: a
 * node that ignores a setting for its security is worse than one that does not start.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { ClusterAccess, PemSource, UserAccess } from './cluster-access.ts';
import { ConfigFields } from './config-fields.ts';
import { readExecPlugin } from './exec-config.ts';
import { kubeconfigInvalid, kubeconfigUnreadable } from './kubeconfig-errors.ts';

/** `context` is that to use; absent: the current one of the file. */
export async function loadKubeconfig(file: string, context?: string): Promise<ClusterAccess> {
  const absolute = path.resolve(file);
  const fields = new ConfigFields(absolute, '', await parseFile(absolute));
  const name = context ?? fields.text('current-context');
  if (name === undefined) throw fields.invalid('current-context', 'is missing');
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
  const text = await readText(file);
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

/** The named entry of a list, and in it the part that says something. */
function find(
  fields: ConfigFields,
  list: string,
  name: string,
  part: string,
  wantedBy: string,
): ConfigFields {
  const entry = fields.parts(list).find((one) => one.text('name') === name);
  if (!entry) {
    const problem = `names ${JSON.stringify(name)}, which is not in ${list}`;
    throw kubeconfigInvalid({ file: fields.file, field: wantedBy, problem });
  }
  return entry.part(part) ?? new ConfigFields(fields.file, entry.pathTo(part), {});
}

type Place = Omit<ClusterAccess, 'namespace' | 'user'>;

async function readCluster(cluster: ConfigFields): Promise<Place> {
  const server = readServer(cluster, 'server', ['https:', 'http:']);
  if (server === undefined) throw cluster.invalid('server', 'is missing');
  const caFile = cluster.filePath('certificate-authority');
  const data = cluster.data('certificate-authority-data');
  const ca = data ?? (caFile === undefined ? undefined : await readText(caFile));
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
  // kubectl takes a bare host for one that speaks HTTP.
  const full = text.includes('://') ? text : `http://${text}`;
  if (!URL.canParse(full)) throw fields.invalid(name, `is not a URL: ${text}`);
  const { protocol } = new URL(full);
  if (!schemes.includes(protocol)) {
    throw fields.invalid(name, `must begin with ${schemes.map((one) => `${one}//`).join(' or ')}`);
  }
  return full;
}

function readUser(user: ConfigFields, cluster: ConfigFields, place: Place): UserAccess {
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

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw kubeconfigUnreadable({ file, reason }, error);
  }
}
