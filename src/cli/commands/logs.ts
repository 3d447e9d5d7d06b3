/** Defines the command `podkeep logs` and its options. */
import { Command, InvalidArgumentError } from 'commander';
import { parseGoDuration } from '../../api/values/time-duration.ts';
import type { Io } from '../io.ts';
import type { LogsOptions } from './read-logs.ts';
import { addSessionOptions } from './session-options.ts';

export function describeLogs(io: Io, finish: (code: number) => void): Command {
  return addSessionOptions(new Command('logs'))
    .description('Print the log of a container.')
    .argument('<pod>', 'the name of the pod')
    .option('-c, --container <name>', 'which container; by default the first of the pod')
    .option('-f, --follow', 'print new lines as they are written, until Ctrl-C', false)
    .option('--tail <lines>', 'print only this many of the newest lines; -1 prints all', readTail)
    .option(
      '--since <duration>',
      'print only lines younger than this, such as 5s, 2m or 3h',
      readSince,
    )
    .option('-p, --previous', 'print the log of the container before its last restart', false)
    .option('--timestamps', 'print the time of each line', false)
    .action(async (pod: string, options: LogsOptions) => {
      const { attempt } = await import('./attempt.ts');
      const { readLogs } = await import('./read-logs.ts');
      finish(await attempt(io, (signal) => readLogs(pod, options, io, signal)));
    });
}

function readTail(text: string): number {
  if (/^(?:-1|\d{1,15})$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give a number of lines, or -1 for all of them.');
}

function readSince(text: string): number {
  try {
    const ms = parseGoDuration(text);
    if (ms > 0) return ms;
  } catch {
    // Thrown below.
  }
  throw new InvalidArgumentError('Give a duration such as 5s, 2m or 3h.');
}
