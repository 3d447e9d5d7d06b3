/** What every command that makes a node can be told about it. */
import { Option, type Command } from 'commander';
import { parseRuntime } from './node/runtime-choice.ts';

export function addNodeOptions(command: Command): Command {
  return command
    .option('--name <name>', 'of the node; by default the name of this machine')
    .addOption(
      new Option(
        '--runtime <name>',
        'what runs pods: process (on this machine, without containers), simulated, or the socket of ' +
          'a container runtime, such as unix:///run/containerd/containerd.sock; by default ' +
          'containerRuntimeEndpoint of the configuration, else process',
      ).argParser(parseRuntime),
    )
    .option('--manifests <path>', 'a folder of static pods, or a file: they run in any case')
    .option('--config <file>', 'a KubeletConfiguration, and what else podkeep can be told');
}
