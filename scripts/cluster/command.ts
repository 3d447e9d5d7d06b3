/** Runs one command to its end, and includes its output in the error if it fails. */
import { spawn } from 'node:child_process';
import { commandFailed, programMissing } from './errors.ts';

interface CommandOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The purpose, for the error if the command is missing: "to build kubectl". */
  readonly use: string;
}

/** Only the end of the output is kept: the last lines have the error. */
const OUTPUT_LENGTH_MAX = 8_000;

export function runCommand(
  [program, ...args]: readonly [string, ...string[]],
  { cwd, env, use }: CommandOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    const keep = (text: string): void => {
      output = (output + text).slice(-OUTPUT_LENGTH_MAX);
    };
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    child.on('error', (error) => reject(programMissing({ program, use }, error)));
    child.on('close', (code, signal) => {
      if (code === 0) return resolve();
      const how = signal === null ? `ended with ${code}` : `was ended by ${signal}`;
      reject(commandFailed({ command: [program, ...args].join(' '), how, output }));
    });
  });
}
