/** Adds the options of `podkeep up` and `podkeep kubelet` that configure the node. */
import { Option, type Command } from 'commander';
import { addLogOptions } from './logging/command-log.ts';
import { parseNodeName } from './node-flags.ts';
import { parseRuntime } from './node/runtime-choice.ts';

export function addNodeOptions(command: Command): Command {
  const described = command
    .addOption(
      new Option(
        '--name <name>',
        'name of the node; by default the name of this machine',
      ).argParser(parseNodeName),
    )
    .addOption(
      new Option(
        '--runtime <name>',
        'what runs containers: process (as processes of this machine), simulated, or the socket ' +
          'of a container runtime, such as unix:///run/containerd/containerd.sock; by default ' +
          'containerRuntimeEndpoint of the configuration, else process',
      ).argParser(parseRuntime),
    )
    .option(
      '--pod-masquerade',
      'let pods that have their own network reach other networks; needs root and nft',
    )
    .option('--supervise', 'start podkeep again if it hangs or crashes; needs Perl')
    .option('--no-supervise', 'do not start it again')
    .option('--manifests <path>', 'a folder with manifests of static pods, or one such file')
    .option(
      '--alert-rules <folder>',
      'a folder with files of alert rules, read again when they change',
    )
    .option('--alert-commands', 'let alert rules run commands, as the user who runs podkeep')
    .option('--no-default-alerts', 'do not evaluate the alert rules that ship with podkeep')
    .option(
      '--config <file>',
      'a file with a KubeletConfiguration, a PodkeepConfiguration, or both',
    );
  return addLogOptions(described);
}
