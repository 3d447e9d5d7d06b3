/** The options of every command that connects to an API server. */
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
