/** The part of a kubeconfig that names a program to ask for credentials. */
import path from 'node:path';
import type { ExecPlugin } from './cluster-access.ts';
import type { ConfigFields } from './config-fields.ts';

const API_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

export function readExecPlugin(user: ConfigFields, cluster: ConfigFields): ExecPlugin | undefined {
  const exec = user.part('exec');
  if (!exec) return undefined;
  const [apiVersion, command] = [exec.text('apiVersion'), exec.text('command')];
  if (command === undefined) throw exec.invalid('command', 'is missing');
  if (apiVersion === undefined || !API_VERSIONS.includes(apiVersion)) {
    throw exec.invalid('apiVersion', `must be ${API_VERSIONS.join(' or ')}`);
  }
  if (exec.text('interactiveMode') === 'Always') {
    throw exec.invalid('interactiveMode', 'is Always, but nobody sits in front of podkeep');
  }
  return {
    apiVersion,
    command: resolveCommand(command, exec.file),
    args: exec.texts('args'),
    env: Object.fromEntries(
      exec.parts('env').map((entry) => [entry.text('name') ?? '', entry.text('value') ?? '']),
    ),
    installHint: exec.text('installHint') ?? '',
    cluster: exec.flag('provideClusterInfo') ? clusterInfo(cluster) : null,
  };
}

/** A bare name is looked up on the PATH; one with a folder is relative to the kubeconfig. */
function resolveCommand(command: string, file: string): string {
  return command.includes('/') ? path.resolve(path.dirname(file), command) : command;
}

function clusterInfo(cluster: ConfigFields): Readonly<Record<string, string | boolean>> {
  const given = (key: string, value: string | undefined): Record<string, string> =>
    value === undefined ? {} : { [key]: value };
  return {
    ...given('server', cluster.text('server')),
    ...given('tls-server-name', cluster.text('tls-server-name')),
    ...given('certificate-authority-data', cluster.text('certificate-authority-data')),
    ...given('proxy-url', cluster.text('proxy-url')),
    'insecure-skip-tls-verify': cluster.flag('insecure-skip-tls-verify'),
  };
}
