/**
 * Configures the log of a command, from its flags and the `logging` section of KubeletConfiguration.
 *
 * A flag overrides the file. In the file, the defaults (`text`, verbosity 0) cannot be distinguished from
 * unset fields, so they count as unset.
 */
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { LogFormat } from '../../core/logging/log-formats.ts';
import { systemClock as clock } from '../../platform/system-clock.ts';
import type { ConsoleProgress } from '../console-progress.ts';
import { LogWriter } from './log-writer.ts';

export interface LogFlags {
  readonly v?: number;
  readonly loggingFormat?: LogFormat;
  /** All flags of the command line, for /flagz. */
  readonly flags?: Readonly<Record<string, string>>;
}

interface LoggingSection {
  readonly format: LogFormat;
  readonly verbosity: number;
}

const VERBOSITY_MAX = 2 ** 31 - 1;

export function addLogOptions(command: Command): Command {
  return command
    .addOption(
      new Option('-v, --v <level>', 'number for the log level verbosity').argParser(readVerbosity),
    )
    .addOption(
      new Option(
        '--logging-format <format>',
        'format of log lines on stderr; with --output json and without this flag, log lines are ' +
          'events among the others',
      ).choices(['text', 'json']),
    );
}

export function openCommandLog(
  flags: LogFlags,
  err: (text: string) => void,
  progress: ConsoleProgress,
  isQuiet: boolean,
): LogWriter {
  return new LogWriter(
    { now: () => clock.now(), pid: process.pid, print: err, event: progress.logged, isQuiet },
    { format: flags.loggingFormat ?? null, verbosity: flags.v ?? null },
  );
}

/** Call after the configuration has been read. */
export function applyLoggingSection(
  writer: LogWriter,
  flags: LogFlags,
  { format, verbosity }: LoggingSection,
): void {
  writer.configure({
    format: flags.loggingFormat ?? (format === 'text' ? null : format),
    verbosity: flags.v ?? (verbosity === 0 ? null : verbosity),
  });
}

/** Accepts `-v 4`, `-v=4` and `--v=4`, as klog does. */
function readVerbosity(text: string): number {
  const digits = text.replace(/^=/, '');
  const level = Number(digits);
  if (/^\d+$/.test(digits) && level <= VERBOSITY_MAX) return level;
  throw new InvalidArgumentError(`A verbosity is a number from 0 to ${VERBOSITY_MAX}.`);
}
