/** What `podkeep up` can be told. Its work is loaded when it is asked for, and not before. */
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Io } from './io.ts';
import { addNodeOptions } from './node-options.ts';
import type { UpOptions } from './up.ts';

const PORT = 6443;
const PORT_MAX = 65_535;

export function describeUp(
  io: Io,
  args: readonly string[],
  finish: (code: number) => void,
): Command {
  const up = new Command('up')
    .description(
      'Serve a Kubernetes API on this machine and run its pods, until Ctrl-C or while a command runs.',
    )
    .usage('[options] [-- command...]')
    .argument('[command...]', 'what to run with KUBECONFIG set; podkeep ends with its exit code')
    .option(
      '--data-dir <folder>',
      'where to keep objects, keys and the kubeconfig; by default ' +
        '$XDG_DATA_HOME/podkeep or ~/.local/share/podkeep',
    )
    .addOption(
      new Option('--port <number>', 'where to listen on 127.0.0.1; 0 takes any that is free')
        .argParser(readPort)
        .default(PORT),
    );
  return addNodeOptions(up)
    .option(
      '--keep-pods',
      'leave containers running at the end; the next podkeep adopts them',
      false,
    )
    .option('--no-node', 'serve the API only, and run no pods')
    .addOption(
      new Option('--authorization-mode <mode>', 'who may do what')
        .choices(['RBAC', 'AlwaysAllow'])
        .default('RBAC'),
    )
    .option(
      '--controllers <names>',
      'which controllers run inside: "*" is all of them, "-NAME" leaves one out',
      '*',
    )
    .addOption(
      new Option('--output <form>', 'sentences for people, or one JSON object a line')
        .choices(['text', 'json'])
        .default('text'),
    )
    .helpOption('-h, --help', 'print this help and exit')
    .action(async (command: string[], options: Omit<UpOptions, 'command'>) => {
      if (command.length > 0 && !args.includes('--')) {
        up.error(
          `error: a command goes behind two dashes: podkeep up [options] -- ${command.join(' ')}`,
        );
      }
      const { bringUp } = await import('./up.ts');
      finish(await bringUp({ ...options, command }, io));
    });
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= PORT_MAX) return port;
  throw new InvalidArgumentError(`A port is a number from 0 to ${PORT_MAX}.`);
}
