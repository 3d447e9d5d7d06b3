/**
 * Defines the command `podkeep up` and its options. The implementation is loaded only when the command runs.
 */
import { Command, InvalidArgumentError, Option } from 'commander';
import { addApiServerOptions, faultOfApiServerOptions } from './api-server-options.ts';
import { addNodeCidrOptions } from './controllers/node-cidr-options.ts';
import { flagValuesOf } from './config/flag-values.ts';
import type { Io } from './io.ts';
import { addNodeOptions } from './node-options.ts';
import { NODES_MAX } from './node/local-nodes/node-limit.ts';
import type { UpOptions } from './commands/up.ts';

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
    .argument(
      '[command...]',
      'a command to run with KUBECONFIG set; podkeep up ends with its exit code',
    )
    .option(
      '--data-dir <folder>',
      'where to keep objects, keys and the kubeconfig; by default $XDG_DATA_HOME/podkeep or ' +
        '~/.local/share/podkeep, and with a command a temporary folder that is removed at the end',
    )
    .addOption(
      new Option(
        '--port <number>',
        'port to listen on at 127.0.0.1; 0 chooses a free one; by default 6443, and with a command 0',
      ).argParser(readPort),
    );
  return addNodeCidrOptions(addApiServerOptions(addNodeOptions(addNodeCount(up))))
    .option(
      '--keep-pods',
      'leave containers running at the end; the next podkeep up adopts them',
      false,
    )
    .option('--no-node', 'serve the API only, and run no pods')
    .addOption(
      new Option('--authorization-mode <mode>', 'how requests are authorized')
        .choices(['RBAC', 'AlwaysAllow'])
        .default('RBAC'),
    )
    .option(
      '--controllers <names>',
      'which controllers to run: "*" is all of them, "-NAME" leaves one out',
      '*',
    )
    .addOption(
      new Option('--output <form>', 'print text, or one JSON object per line')
        .choices(['text', 'json'])
        .default('text'),
    )
    .helpOption('-h, --help', 'print this help and exit')
    .action(async (command: string[], options: Omit<UpOptions, 'command'>) => {
      if (command.length > 0 && !args.includes('--')) {
        up.error(
          `error: a command must follow two dashes: podkeep up [options] -- ${command.join(' ')}`,
        );
      }
      const fault = faultOfApiServerOptions(options);
      if (fault !== null) up.error(`error: ${fault}`);
      if (options.keepPods && command.length > 0 && options.dataDir === undefined) {
        up.error(
          'error: --keep-pods with a command needs --data-dir: without it nothing is left at the end',
        );
      }
      if (options.nodes !== undefined && !options.node) {
        up.error('error: --nodes and --no-node exclude each other');
      }
      const { bringUp } = await import('./commands/up.ts');
      finish(await bringUp({ ...options, command, flags: flagValuesOf(up) }, io));
    });
}

function addNodeCount(command: Command): Command {
  return command.addOption(
    new Option(
      '--nodes <number>',
      'how many nodes to run: NAME, NAME-2, NAME-3 and so on; by default those of the data folder, ' +
        'or one',
    ).argParser(readNodes),
  );
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= PORT_MAX) return port;
  throw new InvalidArgumentError(`A port is a number from 0 to ${PORT_MAX}.`);
}

function readNodes(text: string): number {
  const nodes = Number(text);
  if (/^\d+$/.test(text) && nodes >= 1 && nodes <= NODES_MAX) return nodes;
  throw new InvalidArgumentError(`A number of nodes is from 1 to ${NODES_MAX}.`);
}
