/** What `podkeep kubelet` can be told. Its work is loaded when it is asked for, and not before. */
import { Command, Option } from 'commander';
import type { Io } from './io.ts';
import type { KubeletCommandOptions } from './kubelet.ts';
import { addNodeOptions } from './node-options.ts';

export function describeKubelet(io: Io, finish: (code: number) => void): Command {
  const kubelet = new Command('kubelet')
    .description('Run the pods that a cluster gives this machine, until Ctrl-C. They go on then.')
    .requiredOption('--kubeconfig <file>', 'how to reach the API server, and as whom')
    .option(
      '--data-dir <folder>',
      'where to keep what belongs to pods; by default ' +
        '$XDG_DATA_HOME/podkeep or ~/.local/share/podkeep',
    );
  return addNodeOptions(kubelet)
    .addOption(
      new Option('--output <form>', 'sentences for people, or one JSON object a line')
        .choices(['text', 'json'])
        .default('text'),
    )
    .helpOption('-h, --help', 'print this help and exit')
    .action(async (options: KubeletCommandOptions) => {
      const { runKubelet } = await import('./kubelet.ts');
      finish(await runKubelet(options, io));
    });
}
