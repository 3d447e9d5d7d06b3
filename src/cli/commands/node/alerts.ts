/** Defines the command `podkeep alerts` and its options. */
import { Command, Option } from 'commander';
import type { Io } from '../../io.ts';
import { addSessionOptions } from '../session-options.ts';
import type { AlertsOptions } from './show-alerts.ts';

export function describeAlerts(io: Io, finish: (code: number) => void): Command {
  return addSessionOptions(new Command('alerts'))
    .description('Show the alerts of nodes: pending, firing, and resolved in the last 15 minutes.')
    .usage('[options] [node]')
    .argument('[node]', 'the name of a node; by default all nodes')
    .addOption(
      new Option('-o, --output <form>', 'how to print them')
        .choices(['table', 'json'])
        .default('table'),
    )
    .action(async (node: string | undefined, options: AlertsOptions) => {
      const { attempt } = await import('../attempt.ts');
      const { showAlerts } = await import('./show-alerts.ts');
      finish(await attempt(io, (signal) => showAlerts(node, options, io, signal)));
    });
}
