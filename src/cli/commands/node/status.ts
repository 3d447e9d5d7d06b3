/** Defines the command `podkeep status` and its options. */
import { Command, Option } from 'commander';
import type { Io } from '../../io.ts';
import { addSessionOptions } from '../session-options.ts';
import type { StatusOptions } from './show-status.ts';

export function describeStatus(io: Io, finish: (code: number) => void): Command {
  return addSessionOptions(new Command('status'))
    .description('Show whether nodes are ready, how their pods are, and recent warnings.')
    .argument('[node]', 'the name of a node; by default all of the cluster')
    .addOption(
      new Option('-o, --output <form>', 'how to print').choices(['text', 'json']).default('text'),
    )
    .action(async (node: string | undefined, options: StatusOptions) => {
      const { attempt } = await import('../attempt.ts');
      const { showStatus } = await import('./show-status.ts');
      finish(await attempt(io, (signal) => showStatus(node, options, io, signal)));
    });
}
