/** Defines the command `podkeep top` and its options. */
import { Argument, Command, Option } from 'commander';
import type { Io } from '../../io.ts';
import { addSessionOptions } from '../session-options.ts';
import type { TopOptions } from './show-usage.ts';

export function describeTop(io: Io, finish: (code: number) => void): Command {
  return addSessionOptions(new Command('top'))
    .description('Show the CPU and memory that nodes or pods use.')
    .addArgument(new Argument('[what]', 'whose usage').choices(['nodes', 'pods']).default('nodes'))
    .option('--node <name>', 'ask this node only; by default all of the cluster')
    .option('-A, --all-namespaces', 'show the pods of all namespaces', false)
    .option('-l, --selector <labels>', 'show only pods with these labels: app=web,tier!=cache')
    .option('--containers', 'show each container of a pod', false)
    .addOption(
      new Option('--sort-by <column>', 'largest first')
        .choices(['name', 'cpu', 'memory'])
        .default('name'),
    )
    .addOption(
      new Option('-o, --output <form>', 'how to print').choices(['table', 'json']).default('table'),
    )
    .option('--no-headers', 'leave out the names of the columns')
    .action(async (what: 'nodes' | 'pods', options: TopOptions) => {
      const { attempt } = await import('../attempt.ts');
      const { showUsage } = await import('./show-usage.ts');
      finish(await attempt(io, (signal) => showUsage(what, options, io, signal)));
    });
}
