/** Runs the command of `podkeep up -- CMD` in podkeep's terminal, and reports its exit code. */
import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { defineError } from '../lib/errors.ts';
import type { StopSignal } from './io.ts';

export interface ChildCommand {
  /** The exit code; after a signal 128 + its number, as in a shell. Rejects if the command never ran. */
  readonly exitCode: Promise<number>;
  stop(signal: StopSignal): void;
  kill(): void;
}

const SIGNAL_BASE = 128;

const commandNotStarted = defineError<{ command: string; reason: string }>({
  code: 'COMMAND_NOT_STARTED',
  retry: 'never',
  message: ({ command, reason }) => `${command} could not be started: ${reason}`,
  hint: () => 'Check its name, that it is on the PATH, and that it may be executed.',
});

export function startCommand(
  [command = '', ...args]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ChildCommand {
  const child = spawn(command, args, { stdio: 'inherit', env: { ...env } });
  return {
    exitCode: exitCodeOf(child, command),
    stop: (signal) => void child.kill(signal),
    kill: () => void child.kill('SIGKILL'),
  };
}

function exitCodeOf(child: ChildProcess, command: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) =>
      reject(commandNotStarted({ command, reason: error.message }, error)),
    );
    child.once('exit', (code, signal) => resolve(code ?? codeOfSignal(signal)));
  });
}

export function codeOfSignal(signal: NodeJS.Signals | null): number {
  return signal === null ? 1 : SIGNAL_BASE + constants.signals[signal];
}
