/** Adds the options that every command with a connection to an API server has. */
import type { Command } from 'commander';

export function addSessionOptions(command: Command): Command {
  return command
    .option(
      '--kubeconfig <file>',
      'kubeconfig of the cluster; by default $KUBECONFIG, else the one of podkeep up',
    )
    .option('-n, --namespace <name>', 'the namespace; by default that of the kubeconfig')
    .helpOption('-h, --help', 'print this help and exit');
}
