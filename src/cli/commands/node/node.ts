/** The options of `podkeep node add` and `podkeep node remove`. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { parseGoDuration } from '../../../api/values/time-duration.ts';
import type { Io } from '../../io.ts';
import { parseNodeName } from '../../node-flags.ts';
import type { AddNodeOptions } from './add-node.ts';
import type { RemoveNodeOptions } from './remove-node.ts';

const KUBECONFIG = 'kubeconfig of podkeep up; by default $KUBECONFIG, else the one of podkeep up';
const HELP = ['-h, --help', 'print this help and exit'] as const;

export function describeNode(io: Io, finish: (code: number) => void): Command {
  return new Command('node')
    .description('Add a node to the podkeep up that runs, or remove one.')
    .usage('add [options] [name] | remove [options] <name>')
    .helpOption(...HELP)
    .helpCommand(false)
    .addCommand(describeAdd(io, finish))
    .addCommand(describeRemove(io, finish));
}

function describeAdd(io: Io, finish: (code: number) => void): Command {
  return new Command('add')
    .description('Add a node, and wait until it is ready.')
    .argument('[name]', 'its name; by default that of the first node with a number', parseNodeName)
    .option('--kubeconfig <file>', KUBECONFIG)
    .addOption(
      new Option('--timeout <duration>', 'how long to wait until it is ready, such as 30s')
        .argParser(readDuration)
        .default(60_000, '60s'),
    )
    .helpOption(...HELP)
    .action(async (name: string | undefined, options: AddNodeOptions) => {
      const { attempt } = await import('../attempt.ts');
      const { addNode } = await import('./add-node.ts');
      finish(await attempt(io, (signal) => addNode(name, options, io, signal)));
    });
}

function describeRemove(io: Io, finish: (code: number) => void): Command {
  return new Command('remove')
    .description(
      'Drain a node as kubectl drain does, stop it, and delete its Node object and its folder. ' +
        'Pods of DaemonSets and static pods end with it.',
    )
    .argument('<name>', 'its name', parseNodeName)
    .option('--kubeconfig <file>', KUBECONFIG)
    .option('--force', 'also evict pods that no controller would create again', false)
    .option('--delete-emptydir-data', 'also evict pods with emptyDir volumes', false)
    .addOption(
      new Option(
        '--grace-period <seconds>',
        'how long pods have to end; by default as long as each pod says',
      ).argParser(readSeconds),
    )
    .addOption(
      new Option(
        '--timeout <duration>',
        'how long to wait for the pods to be gone, such as 5m; by default without end',
      ).argParser(readDuration),
    )
    .helpOption(...HELP)
    .action(async (name: string, options: RemoveNodeOptions) => {
      const { attempt } = await import('../attempt.ts');
      const { removeNode } = await import('./remove-node.ts');
      finish(await attempt(io, (signal) => removeNode(name, options, io, signal)));
    });
}

function readSeconds(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('A grace period is a number of seconds.');
}

function readDuration(text: string): number {
  try {
    const ms = parseGoDuration(text);
    if (ms > 0) return ms;
  } catch {
    // The message below says what a duration looks like.
  }
  throw new InvalidArgumentError('A duration is such as 30s or 5m.');
}
