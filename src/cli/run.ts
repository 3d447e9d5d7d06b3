/**
 * Runs the command line: parses the arguments, runs the command, and returns the exit code.
 *
 *     0   the command succeeded
 *     1   the command failed
 *     2   the arguments are invalid; the message says which one and what to try
 *
 * `podkeep up -- CMD` and `podkeep exec POD -- CMD` return the exit code of CMD.
 */
import { Command, CommanderError } from 'commander';
import { describeDown } from './commands/down.ts';
import { describeExec } from './commands/exec.ts';
import { describeExplain } from './commands/explain.ts';
import { describeGet } from './commands/get.ts';
import { describeLogs } from './commands/logs.ts';
import { describeRotateSigningKey } from './commands/rotate-signing-key.ts';
import { describeAlerts } from './commands/node/alerts.ts';
import { describeNode } from './commands/node/node.ts';
import { describeStatus } from './commands/node/status.ts';
import { describeTop } from './commands/node/top.ts';
import type { Io } from './io.ts';
import { describeKubelet } from './kubelet-options.ts';
import { describeUp } from './up-options.ts';
import { version } from './version.ts';

const WRONG_USAGE = 2;
/** A fixed width, because help is also read in logs and documents. */
const HELP_WIDTH = 80;
const HELP_WIDTH_MIN = 24;

export async function run(args: readonly string[], io: Io): Promise<number> {
  let code = 0;
  const program = describeProgram(args, io, (result) => void (code = result));
  if (args.length === 0) {
    io.out(program.helpInformation());
    return 0;
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // --help and --version end here as well, with 0; commander has printed everything.
    return error.exitCode === 0 ? 0 : WRONG_USAGE;
  }
}

function describeProgram(args: readonly string[], io: Io, finish: (code: number) => void): Command {
  const program = new Command('podkeep')
    .description('A kubelet for Node.js: runs pods on this machine and reports their status.')
    .version(version(), '-V, --version', 'print the version and exit')
    .helpOption('-h, --help', 'print this help and exit')
    .helpCommand(false)
    .allowExcessArguments(false)
    .showHelpAfterError(
      'Run podkeep --help for the commands, and podkeep COMMAND --help for its options.',
    )
    // Wraps descriptions even beside long option names.
    .configureHelp({ minWidthToWrap: HELP_WIDTH_MIN })
    .configureOutput({ writeOut: io.out, writeErr: io.err, getOutHelpWidth: () => HELP_WIDTH })
    .exitOverride();
  const commands = [
    describeUp(io, args, finish),
    describeKubelet(io, finish),
    describeDown(io, finish),
    describeGet(io, finish),
    describeExplain(io, finish),
    describeLogs(io, finish),
    describeStatus(io, finish),
    describeAlerts(io, finish),
    describeNode(io, finish),
    describeTop(io, finish),
    describeExec(io, args, finish),
    describeRotateSigningKey(io, finish),
  ];
  for (const command of commands) {
    program.addCommand(command.copyInheritedSettings(program));
    for (const part of command.commands) part.copyInheritedSettings(program);
  }
  return program;
}
