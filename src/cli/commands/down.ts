/** Defines the command `podkeep down` and its options. */
import { Command } from 'commander';
import type { Io } from '../io.ts';
import type { DownOptions } from './stop-podkeep.ts';

export function describeDown(io: Io, finish: (code: number) => void): Command {
  return new Command('down')
    .description('Stop the podkeep that runs on a data folder, and the pods that it left running.')
    .option(
      '--data-dir <folder>',
      'the data folder of that podkeep; by default the same as for podkeep up',
    )
    .helpOption('-h, --help', 'print this help and exit')
    .action(async (options: DownOptions) => {
      const { attempt } = await import('./attempt.ts');
      const { stopPodkeep } = await import('./stop-podkeep.ts');
      finish(await attempt(io, (signal) => stopPodkeep(options, io, signal)));
    });
}
