/**
 * Starts programs through a small, long-lived shell process.
 *
 *     podkeep ──a job, as a line of shell──> sh ──forks──> the program
 *      └──<────────── job number, exit code, error output ─────────┘
 *
 * If podkeep started programs itself, the fork would block its event loop: for milliseconds because of its
 * size, much longer on a busy machine. A shell is hundreds of times smaller. Jobs run concurrently. The shell
 * is started for the first job. It ends when podkeep ends, even by a kill, because its stdin closes.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';

interface Job {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

type Shell = ChildProcessByStdio<Writable, Readable, null>;

const ENV = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
const PLAIN = /^[A-Za-z0-9_/.:=@%+,-]+$/;

export class CommandShell {
  readonly #program: string;
  readonly #jobs = new Map<number, Job>();
  #shell: Shell | undefined;
  #count = 0;
  #rest = '';
  #isClosed = false;

  constructor(program = 'sh') {
    this.#program = program;
  }

  /** Runs one program without input. Rejects with its stderr if it fails. */
  run(args: readonly string[]): Promise<void> {
    return this.perform(quoteArguments(args));
  }

  /** Runs a line of shell commands, joined by `&&` for example. Rejects if their exit code is not 0. */
  perform(commands: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const number = this.#count++;
      this.#jobs.set(number, { resolve, reject });
      const shell = this.#open();
      setRef(shell, true);
      // Without quotes, error output of several lines becomes one line.
      const report = `code=$?; set -f; echo ${number} $code $trouble`;
      const lines = `{ trouble=$({\n${commands}\n} 2>&1 >/dev/null </dev/null); ${report}; } &`;
      shell.stdin.write(`${lines}\nj${number}=$!\n`);
    });
  }

  /** Ends the shell after its last job. A later job starts a new shell. */
  close(): void {
    this.#isClosed = true;
    if (this.#jobs.size === 0) this.#end();
  }

  #end(): void {
    const shell = this.#shell;
    this.#shell = undefined;
    shell?.stdin.end();
  }

  #open(): Shell {
    if (this.#shell) return this.#shell;
    const shell = spawn(this.#program, ['-s'], {
      cwd: '/',
      env: ENV,
      // Signals of a terminal, such as Ctrl-C, must not reach the shell.
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#shell = shell;
    this.#rest = '';
    shell.unref();
    shell.stdin.on('error', () => undefined);
    shell.stdout.setEncoding('utf8').on('data', (text: string) => this.#hear(text));
    shell.on('error', (error) => this.#lose(shell, error.message));
    shell.on('exit', () => this.#lose(shell, 'the shell that ran it has ended'));
    return shell;
  }

  #hear(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const [number = '', code = '', ...args] = line.split(' ');
      this.#settle(Number(number), Number(code), args.join(' '));
    }
  }

  #settle(number: number, code: number, trouble: string): void {
    const job = this.#jobs.get(number);
    this.#jobs.delete(number);
    // A shell keeps the state of its jobs until it has waited for them.
    this.#shell?.stdin.write(`wait "$j${number}"; unset j${number}\n`);
    if (this.#shell && this.#jobs.size === 0) setRef(this.#shell, false);
    if (this.#isClosed && this.#jobs.size === 0) this.#end();
    if (code === 0) job?.resolve();
    else job?.reject(new Error(trouble || `it ended with ${code}`));
  }

  /** Fails all jobs of a shell that has ended. The next job starts a new shell. */
  #lose(shell: Shell, reason: string): void {
    if (this.#shell !== shell) return;
    this.#shell = undefined;
    const jobs = [...this.#jobs.values()];
    this.#jobs.clear();
    for (const { reject } of jobs) reject(new Error(reason));
  }
}

/** Each argument becomes exactly one word, whatever it contains. */
function quoteArguments(args: readonly string[]): string {
  return args
    .map((word) => (PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}

/** A shell without jobs does not keep podkeep from exiting. */
function setRef(shell: Shell, isNeeded: boolean): void {
  for (const stream of [shell.stdin, shell.stdout]) {
    if (!(stream instanceof Socket)) continue;
    if (isNeeded) stream.ref();
    else stream.unref();
  }
}
