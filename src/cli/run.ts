/**
 * The command line: reads the arguments, runs the command they name, and answers with an exit code.
 *
 *   0  it worked
 *   1  it did not
 *   2  the arguments make no sense; the message says which and what to try
 */
import { Command, CommanderError } from 'commander';
import type { Io } from './io.ts';
import { version } from './version.ts';

const WRONG_USAGE = 2;

export async function run(args: readonly string[], io: Io): Promise<number> {
  const program = describeProgram(io);
  if (args.length === 0) {
    io.out(program.helpInformation());
    return 0;
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // --help and --version end here as well, with 0; commander has printed what there is to say.
    return error.exitCode === 0 ? 0 : WRONG_USAGE;
  }
}

function describeProgram(io: Io): Command {
  return new Command('podkeep')
    .description('A kubelet for Node.js: keeps pods running and their status true.')
    .version(version(), '-V, --version', 'print the version and exit')
    .helpOption('-h, --help', 'print this help and exit')
    .allowExcessArguments(false)
    .showHelpAfterError('Run podkeep --help to see what there is.')
    .configureOutput({ writeOut: io.out, writeErr: io.err })
    .exitOverride();
}
