/** Reads the section `exec` of a kubeconfig user: the plugin that provides credentials. */
import path from 'node:path';
import type { Json, JsonObject } from '../../lib/json.ts';
import type { ClusterAccess, ExecPlugin } from './cluster-access.ts';
import type { ConfigFields } from './config-fields.ts';

const API_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

const MODES: ReadonlySet<string> = new Set(['Never', 'IfAvailable']);
/** The extension of a cluster that is passed on to the plugin. */
const EXTENSION = 'client.authentication.k8s.io/exec';

/** `place`: the parsed access to `cluster`. */
export function readExecPlugin(
  user: ConfigFields,
  cluster: ConfigFields,
  place: Pick<ClusterAccess, 'ca'>,
): ExecPlugin | undefined {
  const exec = user.part('exec');
  if (!exec) return undefined;
  const [apiVersion, command] = [exec.text('apiVersion'), exec.text('command')];
  if (command === undefined) throw exec.invalid('command', 'is missing');
  if (apiVersion === undefined || !API_VERSIONS.includes(apiVersion)) {
    throw exec.invalid('apiVersion', `must be ${API_VERSIONS.join(' or ')}`);
  }
  const mode = exec.text('interactiveMode') ?? 'IfAvailable';
  if (mode === 'Always') {
    throw exec.invalid('interactiveMode', 'is Always, but podkeep cannot ask a user for input');
  }
  if (!MODES.has(mode)) {
    throw exec.invalid('interactiveMode', 'must be Never, IfAvailable or Always');
  }
  return {
    apiVersion,
    command: resolveCommand(command, exec.file),
    args: exec.texts('args'),
    env: Object.fromEntries(
      exec.parts('env').map((entry) => [entry.text('name') ?? '', entry.text('value') ?? '']),
    ),
    installHint: exec.text('installHint') ?? '',
    cluster: exec.flag('provideClusterInfo') ? clusterInfo(cluster, place) : null,
  };
}

/** A bare name is searched on the PATH; a name with a folder is relative to the kubeconfig. */
function resolveCommand(command: string, file: string): string {
  return command.includes('/') ? path.resolve(path.dirname(file), command) : command;
}

/** The authority is always passed as data: the plugin cannot read podkeep's files. */
function clusterInfo(cluster: ConfigFields, { ca }: Pick<ClusterAccess, 'ca'>): JsonObject {
  const authority = ca === undefined ? undefined : Buffer.from(ca).toString('base64');
  const given = (key: string, value: Json | undefined): JsonObject =>
    value === undefined ? {} : { [key]: value };
  return {
    ...given('server', cluster.text('server')),
    ...given('tls-server-name', cluster.text('tls-server-name')),
    'insecure-skip-tls-verify': cluster.flag('insecure-skip-tls-verify'),
    ...given('certificate-authority-data', authority),
    ...given('proxy-url', cluster.text('proxy-url')),
    ...given('config', extensionOf(cluster)),
  };
}

function extensionOf(cluster: ConfigFields): Json | undefined {
  const found = cluster.parts('extensions').find((one) => one.text('name') === EXTENSION);
  return found?.json('extension');
}
