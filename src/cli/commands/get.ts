/** Defines the command `podkeep get` and its options. */
import { Command, Option } from 'commander';
import type { Io } from '../io.ts';
import type { GetOptions } from './get-objects.ts';
import { addSessionOptions } from './session-options.ts';

export function describeGet(io: Io, finish: (code: number) => void): Command {
  return addSessionOptions(new Command('get'))
    .description('List objects of the API as a table, or print them whole as JSON or YAML.')
    .usage('[options] KIND[,KIND...] [NAME...] | KIND/NAME...')
    .argument('<what...>', 'kinds and names: pods, po my-pod, pods,svc, pod/my-pod, all')
    .option('-A, --all-namespaces', 'list the objects of all namespaces', false)
    .option('-l, --selector <labels>', 'list only objects with these labels: app=web,tier!=cache')
    .addOption(
      new Option('-o, --output <form>', 'how to print objects')
        .choices(['table', 'wide', 'json', 'yaml', 'name'])
        .default('table'),
    )
    .option('--no-headers', 'leave out the names of the columns')
    .option('-w, --watch', 'print every change too, until Ctrl-C', false)
    .action(async (words: string[], options: GetOptions) => {
      const { attempt } = await import('./attempt.ts');
      const { getObjects } = await import('./get-objects.ts');
      finish(await attempt(io, (signal) => getObjects(words, options, io, signal)));
    });
}
