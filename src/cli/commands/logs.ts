/** What `podkeep logs` can be told. */
import { Command, InvalidArgumentError } from 'commander';
import { parseGoDuration } from '../../api/time-duration.ts';
import type { Io } from '../io.ts';
import type { LogsOptions } from './read-logs.ts';
import { addSessionOptions } from './session-options.ts';

export function describeLogs(io: Io, finish: (code: number) => void): Command {
  return addSessionOptions(new Command('logs'))
    .description('Print what a container of a pod has written.')
    .argument('<pod>', 'its name')
    .option('-c, --container <name>', 'by default the first of the pod')
    .option('-f, --follow', 'go on with what is written, until Ctrl-C', false)
    .option('--tail <lines>', 'only so many of the newest; -1: all', readTail)
    .option('--since <duration>', 'only what is younger, such as 5s, 2m or 3h', readSince)
    .option('-p, --previous', 'of the container that ran before this one', false)
    .option('--timestamps', 'with the time of each line', false)
    .action(async (pod: string, options: LogsOptions) => {
      const { attempt } = await import('./attempt.ts');
      const { readLogs } = await import('./read-logs.ts');
      finish(await attempt(io, (signal) => readLogs(pod, options, io, signal)));
    });
}

function readTail(text: string): number {
  if (/^(?:-1|\d{1,15})$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a number of lines, or -1 for all of them.');
}

function readSince(text: string): number {
  try {
    const ms = parseGoDuration(text);
    if (ms > 0) return ms;
  } catch {
    // said below
  }
  throw new InvalidArgumentError('It is a duration such as 5s, 2m or 3h.');
}
