/** What `podkeep down` can be told. */
import { Command } from 'commander';
import type { Io } from '../io.ts';
import type { DownOptions } from './stop-podkeep.ts';

export function describeDown(io: Io, finish: (code: number) => void): Command {
  return new Command('down')
    .description('End the podkeep that runs on a data folder, and the pods it has kept.')
    .option(
      '--data-dir <folder>',
      'the one that podkeep up was given; by default the same as there',
    )
    .helpOption('-h, --help', 'print this help and exit')
    .action(async (options: DownOptions) => {
      const { attempt } = await import('./attempt.ts');
      const { stopPodkeep } = await import('./stop-podkeep.ts');
      finish(await attempt(io, (signal) => stopPodkeep(options, io, signal)));
    });
}
