/** What every command that makes a node can be told about it. */
import { Option, type Command } from 'commander';

export function addNodeOptions(command: Command): Command {
  return command
    .option('--name <name>', 'of the node; by default the name of this machine')
    .addOption(
      new Option('--runtime <name>', 'what runs pods: processes of this machine, or a simulation')
        .choices(['process', 'simulated'])
        .default('process'),
    )
    .option('--manifests <path>', 'a folder of static pods, or a file: they run in any case')
    .option('--config <file>', 'a KubeletConfiguration, and what else podkeep can be told');
}
