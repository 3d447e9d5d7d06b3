/** Runs one command to its end, and keeps its output for the error if it fails. */
import { spawn } from 'node:child_process';
import { commandFailed, programMissing } from './errors.ts';

interface CommandOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What it is needed for, should it be missing: "to build kubectl". */
  readonly use: string;
}

/** The last lines have the error; a compiler can print a great deal before. */
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
