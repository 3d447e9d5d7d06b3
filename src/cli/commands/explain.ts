/** Defines the command `podkeep explain` and its options. */
import { Command, Option } from 'commander';
import type { Io } from '../io.ts';
import type { ExplainOptions } from './explain/explain-objects.ts';
import { addSessionOptions } from './session-options.ts';

export function describeExplain(io: Io, finish: (code: number) => void): Command {
  return addSessionOptions(new Command('explain'))
    .description('Say why a pod, a node or a workload is not as it should be, and what to do.')
    .usage('[options] pod/NAME | node/NAME | deployment/NAME | statefulset/NAME | daemonset/NAME')
    .argument('<what...>', 'what to explain: pod/my-pod, node/my-node, deployment/my-app')
    .addOption(
      new Option('-o, --output <form>', 'how to print it')
        .choices(['text', 'json'])
        .default('text'),
    )
    .option('-w, --watch', 'print it again when it changes, until Ctrl-C', false)
    .action(async (words: string[], options: ExplainOptions) => {
      const { attempt } = await import('./attempt.ts');
      const { explainObjects } = await import('./explain/explain-objects.ts');
      finish(await attempt(io, (signal) => explainObjects(words, options, io, signal)));
    });
}
