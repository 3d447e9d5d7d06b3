/** Defines the command `podkeep exec` and its options. */
import { Command } from 'commander';
import type { Io } from '../io.ts';
import type { ExecOptions } from './exec-command.ts';
import { addSessionOptions } from './session-options.ts';

export function describeExec(
  io: Io,
  args: readonly string[],
  finish: (code: number) => void,
): Command {
  const exec = addSessionOptions(new Command('exec'));
  return exec
    .description('Run a command inside a container, and end with its exit code.')
    .usage('[options] POD -- COMMAND [ARG...]')
    .argument('<pod>', 'the name of the pod')
    .argument('<command...>', 'the command to run, and its arguments')
    .option('-c, --container <name>', 'which container; by default the first of the pod')
    .option('-i, --stdin', 'pass standard input to the command', false)
    .option('-t, --tty', 'run it in a terminal; needs -i', false)
    .action(async (pod: string, command: string[], options: ExecOptions) => {
      if (!args.includes('--')) {
        const words = command.join(' ');
        exec.error(`error: a command must follow two dashes: podkeep exec ${pod} -- ${words}`);
      }
      const { attempt } = await import('./attempt.ts');
      const { execCommand } = await import('./exec-command.ts');
      finish(await attempt(io, (signal) => execCommand(pod, command, options, io, signal)));
    });
}
