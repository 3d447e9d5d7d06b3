/**
 * Defines the command `podkeep kubelet` and its options. The implementation is loaded only when the command
 * runs.
 */
import { Command, Option } from 'commander';
import { flagValuesOf } from './config/flag-values.ts';
import type { Io } from './io.ts';
import type { KubeletCommandOptions } from './commands/kubelet.ts';
import { parseNodeIPs, parseNodeLabels, parseTaints } from './node-flags.ts';
import { addNodeOptions } from './node-options.ts';

export function describeKubelet(io: Io, finish: (code: number) => void): Command {
  const kubelet = new Command('kubelet')
    .description(
      'Make this machine a node of a cluster and run its pods. After Ctrl-C the pods go on running, ' +
        'unless --drain-on-stop is set.',
    )
    .requiredOption(
      '--kubeconfig <file>',
      'kubeconfig of the node; with --bootstrap-kubeconfig it is written when the node joins',
    )
    .option(
      '--bootstrap-kubeconfig <file>',
      'kubeconfig with which the node requests its first certificate, if --kubeconfig does not ' +
        'exist or its certificate has expired',
    )
    .option(
      '--cert-dir <folder>',
      'where to keep certificates that the cluster signs; by default DATA-DIR/certificates',
    )
    .option('--rotate-certificates', 'renew the client certificate before it expires')
    .option(
      '--rotate-server-certificates',
      "request the serving certificate of the kubelet's server from the cluster, and renew it",
    )
    .option(
      '--data-dir <folder>',
      'where to keep files and logs of pods; by default ' +
        '$XDG_DATA_HOME/podkeep or ~/.local/share/podkeep',
    );
  return addNodeOptions(kubelet)
    .option('--hostname-override <name>', 'the same as --name, as the kubelet calls it')
    .addOption(
      new Option(
        '--node-ip <addresses>',
        'addresses of the node: one, or one IPv4 and one IPv6 address with a comma between them',
      ).argParser(parseNodeIPs),
    )
    .addOption(
      new Option(
        '--node-labels <labels>',
        'labels to register the node with, such as pool=a,zone=b',
      ).argParser(parseNodeLabels),
    )
    .addOption(
      new Option(
        '--register-with-taints <taints>',
        'taints to register the node with, such as gpu=yes:NoSchedule; replace those of --config',
      ).argParser(parseTaints),
    )
    .option(
      '--drain-on-stop',
      'end all pods when podkeep is stopped, as at a shutdown of the node: for nodes that leave',
    )
    .addOption(
      new Option('--output <form>', 'print text, or one JSON object per line')
        .choices(['text', 'json'])
        .default('text'),
    )
    .helpOption('-h, --help', 'print this help and exit')
    .action(async (options: KubeletCommandOptions) => {
      const { runKubelet } = await import('./commands/kubelet.ts');
      finish(await runKubelet({ ...options, flags: flagValuesOf(kubelet) }, io));
    });
}
