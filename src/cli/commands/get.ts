/** What `podkeep get` can be told. */
import { Command, Option } from 'commander';
import type { Io } from '../io.ts';
import type { GetOptions } from './get-objects.ts';
import { addSessionOptions } from './session-options.ts';

export function describeGet(io: Io, finish: (code: number) => void): Command {
  return addSessionOptions(new Command('get'))
    .description('Show objects of the API: tables, or all that there is to know.')
    .usage('[options] KIND[,KIND...] [NAME...] | KIND/NAME...')
    .argument('<what...>', 'kinds and names: pods, po my-pod, pods,svc, pod/my-pod, all')
    .option('-A, --all-namespaces', 'in every namespace', false)
    .option('-l, --selector <labels>', 'only those with these labels: app=web,tier!=cache')
    .addOption(
      new Option('-o, --output <form>', 'how to print them')
        .choices(['table', 'wide', 'json', 'yaml', 'name'])
        .default('table'),
    )
    .option('--no-headers', 'leave out the names of the columns')
    .option('-w, --watch', 'go on with every change, until Ctrl-C', false)
    .action(async (words: string[], options: GetOptions) => {
      const { attempt } = await import('./attempt.ts');
      const { getObjects } = await import('./get-objects.ts');
      finish(await attempt(io, (signal) => getObjects(words, options, io, signal)));
    });
}
