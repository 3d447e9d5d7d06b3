/**
 * A program that runs until it is stopped: its log goes to a file, and it never outlives us.
 *
 * Three mechanisms stop it: `stop()`, the end of this process, and, if this process is killed, the
 * parent-death signal of the kernel (setpriv).
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { waitFor } from './patience.ts';

export interface DaemonOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Where its log goes. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

const STOP_MS = 10_000;
const TAIL_LINES = 40;
const living = new Set<ChildProcess>();

process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

export class Daemon {
  readonly #name: string;
  readonly #log: string;
  readonly #child: ChildProcess;
  #ending: string | undefined;

  constructor({ name, command, args, folder, env }: DaemonOptions) {
    this.#name = name;
    this.#log = path.join(folder, `${name}.log`);
    const output = openSync(this.#log, 'a');
    const [program, ...rest] = [...leash(), command, ...args];
    const stdio = ['ignore', output, output] as const;
    this.#child = spawn(program ?? command, rest, {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: [...stdio],
    });
    closeSync(output);
    living.add(this.#child);
    this.#child.on('error', (error) => this.#end(`could not be started: ${error.message}`));
    this.#child.on('exit', (code, signal) => this.#end(`ended with ${signal ?? code}`));
  }

  get log(): string {
    return readFileSync(this.#log, 'utf8');
  }

  /** The end of its log, under its name. */
  get tail(): string {
    const lines = this.log.trimEnd().split('\n').slice(-TAIL_LINES);
    return [`--- the log of ${this.#name} ends with:`, ...lines].join('\n');
  }

  /** Waits until `check` passes; a daemon that ends meanwhile is not waited for. */
  async waitUntilReady(deadlineMs: number, check: () => Promise<boolean>): Promise<void> {
    const what = `${this.#name} to be ready`;
    const explain = (): string => this.tail;
    const outcome = await waitFor({ what, deadlineMs, explain }, async () => {
      if (this.#ending !== undefined) return 'ended';
      return (await check()) ? 'ready' : undefined;
    });
    if (outcome === 'ended') throw new Error(`${this.#name} ${this.#ending}\n${this.tail}`);
  }

  /** SIGTERM first; SIGKILL if it does not end. */
  async stop(signal: NodeJS.Signals = 'SIGTERM', patienceMs = STOP_MS): Promise<void> {
    if (this.#ending !== undefined) return;
    const gone = new Promise<void>((resolve) => {
      this.#child.once('exit', () => resolve());
    });
    this.#child.kill(signal);
    const force = setTimeout(() => this.#child.kill('SIGKILL'), patienceMs);
    await gone;
    clearTimeout(force);
  }

  /** How it ended; undefined: it runs. */
  get ending(): string | undefined {
    return this.#ending;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Whatever the result. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  #end(how: string): void {
    this.#ending ??= how;
    living.delete(this.#child);
  }
}

let knownLeash: readonly string[] | undefined;

/** The prefix of a command that ties its life to ours, where this machine has setpriv. */
function leash(): readonly string[] {
  if (knownLeash) return knownLeash;
  const words = ['setpriv', '--pdeathsig', 'KILL'];
  try {
    execFileSync('setpriv', [...words.slice(1), 'true'], { stdio: 'ignore' });
    knownLeash = words;
  } catch {
    knownLeash = [];
  }
  return knownLeash;
}
