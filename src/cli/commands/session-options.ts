/** What every command that asks an API server can be told. */
import type { Command } from 'commander';

export function addSessionOptions(command: Command): Command {
  return command
    .option(
      '--kubeconfig <file>',
      'how to reach the API; by default $KUBECONFIG, or what podkeep up writes',
    )
    .option('-n, --namespace <name>', 'by default that of the kubeconfig')
    .helpOption('-h, --help', 'print this help and exit');
}
