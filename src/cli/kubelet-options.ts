/** What `podkeep kubelet` can be told. Its work is loaded when it is asked for, and not before. */
import { Command, Option } from 'commander';
import type { Io } from './io.ts';
import type { KubeletCommandOptions } from './kubelet.ts';
import { parseNodeIPs, parseNodeLabels, parseTaints } from './node-flags.ts';
import { addNodeOptions } from './node-options.ts';

export function describeKubelet(io: Io, finish: (code: number) => void): Command {
  const kubelet = new Command('kubelet')
    .description('Run the pods that a cluster gives this machine, until Ctrl-C. They go on then.')
    .requiredOption(
      '--kubeconfig <file>',
      'how to reach the API server, and as whom; made when the node joins with --bootstrap-kubeconfig',
    )
    .option(
      '--bootstrap-kubeconfig <file>',
      'with which the node asks the cluster for its first certificate, if the kubeconfig is not there ' +
        'or its certificate is over',
    )
    .option(
      '--cert-dir <folder>',
      'where to keep certificates that the cluster signs; by default certificates in the data folder',
    )
    .option('--rotate-certificates', 'ask for the next client certificate before this one is over')
    .option(
      '--rotate-server-certificates',
      "let the cluster sign what the kubelet's server shows, and renew it",
    )
    .option(
      '--data-dir <folder>',
      'where to keep what belongs to pods; by default ' +
        '$XDG_DATA_HOME/podkeep or ~/.local/share/podkeep',
    );
  return addNodeOptions(kubelet)
    .option('--hostname-override <name>', 'the same as --name, as the kubelet calls it')
    .addOption(
      new Option(
        '--node-ip <addresses>',
        'of the node: one address, or one of each family with a comma between them',
      ).argParser(parseNodeIPs),
    )
    .addOption(
      new Option(
        '--node-labels <labels>',
        'to register the node with, such as pool=a,zone=b',
      ).argParser(parseNodeLabels),
    )
    .addOption(
      new Option(
        '--register-with-taints <taints>',
        'to register the node with, such as gpu=yes:NoSchedule; instead of those of the configuration',
      ).argParser(parseTaints),
    )
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
