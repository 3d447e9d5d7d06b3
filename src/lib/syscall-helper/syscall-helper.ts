/**
 * Drives the syscall helper, a process that makes system calls for which Node.js has no function: mounts,
 * namespaces, users. It starts every container, exec, probe and lifecycle hook of the process runtime.
 *
 *     podkeep ──orders──> the helper ──forks──> one process for each order
 *        └──<── done, failed, ready, exit, ended ──┘
 *
 * podkeep has one helper. The helper does not keep podkeep from exiting, and ends when podkeep has ended.
 * Containers that it has started keep running. Its Perl program is in program/, and CI checks it.
 */
import { ChildProcess, spawn, type ChildProcessByStdio } from 'node:child_process';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { packCalls, packArguments, type SystemCall } from './calls.ts';
import { openExec, type RunningExec } from './exec-pipes.ts';
import { findHelperProgram, HELPER_ENVIRONMENT } from './helper-program.ts';
import {
  argumentsOfCommand,
  argumentsOfContainer,
  argumentsOfHold,
  argumentsOfNamespaces,
  type CommandOrder,
  type ContainerOrder,
  type HoldOrder,
  type NamespaceOrder,
} from './orders.ts';

interface Job {
  /** Called for an answer that is not the last one of the order. */
  readonly onProgress?: (word: string, rest: string) => void;
  readonly done: () => void;
  readonly failed: (error: Error) => void;
  readonly isAwaited: boolean;
}

type Helper = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * Reserves space for process titles, by which the guard finds containers: a title cannot be longer than the
 * original arguments.
 */
const TITLE_SPACE = '-'.repeat(4096);
const SECONDS_MAX = 30;

export type HelperSearch =
  | { readonly helper: SyscallHelper }
  | { readonly helper: undefined; readonly obstacle: string };

let search: Promise<HelperSearch> | undefined;

export class SyscallHelper {
  readonly #interpreter: string;
  readonly #program: string;
  readonly #jobs = new Map<number, Job>();
  readonly #listeners = new Set<(line: string) => void>();
  #helper: Helper | undefined;
  #count = 0;
  #awaited = 0;
  #rest = '';

  private constructor(interpreter: string, program: string) {
    this.#interpreter = interpreter;
    this.#program = program;
  }

  /** Undefined: no helper process runs at the moment. */
  get pid(): number | undefined {
    return this.#helper?.pid;
  }

  /** Tries once whether this machine can run the helper, because that does not change. */
  static find(): Promise<HelperSearch> {
    search ??= SyscallHelper.#try();
    return search;
  }

  static async #try(): Promise<HelperSearch> {
    const found = findHelperProgram('main.pl');
    if ('obstacle' in found) return { helper: undefined, obstacle: found.obstacle };
    const helper = new SyscallHelper(found.interpreter, found.program);
    let args = '';
    const stop = helper.listen((line) => (args ||= line));
    try {
      await helper.#ready();
      return { helper };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { helper: undefined, obstacle: args || reason };
    } finally {
      stop();
    }
  }

  /** Calls the listener with each line that the helper writes to stderr: faults of its program. */
  listen(listener: (line: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Performs the calls one after the other, in a separate process. Rejects with the first failure. */
  perform(calls: readonly SystemCall[], seconds = SECONDS_MAX): Promise<void> {
    return this.#ask('do', seconds, [packCalls(calls)]);
  }

  makeNamespaces(order: NamespaceOrder): Promise<void> {
    return this.#ask('users', SECONDS_MAX, argumentsOfNamespaces(order));
  }

  /** Starts a holder. Resolves when its file is written; the process keeps running. */
  hold(order: HoldOrder): Promise<void> {
    return this.#ask('hold', 0, argumentsOfHold(order));
  }

  /**
   * Starts a container. `onEnd` is called when its monitor has ended, or the helper that would have reported
   * that.
   */
  run(order: ContainerOrder, onEnd: () => void, onError: (error: Error) => void): void {
    const job = { done: onEnd, failed: onError, isAwaited: false };
    this.#send('run', 0, argumentsOfContainer(order), job);
  }

  /** Runs a command in a container. Resolves when its streams are open. */
  exec(order: CommandOrder): Promise<RunningExec> {
    return new Promise((resolve, reject) => {
      let exit: { settle: (code: number) => void; refuse: (error: Error) => void } | undefined;
      const exited = new Promise<number>((settle, refuse) => (exit = { settle, refuse }));
      exited.catch(() => undefined);
      const failed = (error: Error): void => {
        exit?.refuse(error);
        reject(error);
      };
      this.#send('exec', 0, argumentsOfCommand(order), {
        isAwaited: true,
        onProgress: (word, rest) => {
          if (word === 'exit') exit?.settle(Number(rest));
          if (word !== 'ready') return;
          try {
            resolve(openExec(rest, exited));
          } catch (error) {
            failed(error instanceof Error ? error : new Error(String(error)));
          }
        },
        done: () => failed(new Error('the process of the command was killed')),
        failed,
      });
    });
  }

  #ready(): Promise<void> {
    return new Promise((done, failed) => {
      this.#jobs.set(this.#count++, { done, failed, isAwaited: true });
      this.#open();
      this.#await(1);
    });
  }

  #ask(kind: string, seconds: number, args: OrderArguments): Promise<void> {
    return new Promise((done, failed) => {
      this.#send(kind, seconds, args, { done, failed, isAwaited: true });
    });
  }

  #send(kind: string, seconds: number, args: OrderArguments, job: Job): void {
    const number = this.#count++;
    this.#jobs.set(number, job);
    const helper = this.#open();
    this.#await(job.isAwaited ? 1 : 0);
    helper.stdin.write(packArguments([packArguments([number, kind, seconds, ...args])]));
  }

  /** A helper without open orders does not keep podkeep from exiting. */
  #await(change: number): void {
    this.#awaited += change;
    const helper = this.#helper;
    for (const part of [helper, helper?.stdin, helper?.stdout, helper?.stderr]) {
      if (!(part instanceof ChildProcess || part instanceof Socket)) continue;
      if (this.#awaited > 0) part.ref();
      else part.unref();
    }
  }

  #open(): Helper {
    if (this.#helper) return this.#helper;
    const helper = spawn(this.#interpreter, [this.#program, TITLE_SPACE], {
      cwd: '/',
      env: HELPER_ENVIRONMENT,
      // Signals of a terminal, such as Ctrl-C, must not reach the helper.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#helper = helper;
    this.#rest = '';
    helper.stdin.on('error', () => undefined);
    helper.stdout.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    helper.stderr.setEncoding('utf8').on('data', (text: string) => {
      const lines = text.split('\n').filter((line) => line !== '');
      for (const line of lines) for (const listener of this.#listeners) listener(line);
    });
    helper.on('error', (error) => this.#lose(helper, error.message));
    helper.on('exit', () => this.#lose(helper, 'the syscall helper has ended'));
    return helper;
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const [number = '', word = '', ...rest] = line.split(' ');
      this.#answered(Number(number), word, rest.join(' ').trim());
    }
  }

  #answered(number: number, word: string, rest: string): void {
    const job = this.#jobs.get(number);
    if (!job) return;
    job.onProgress?.(word, rest);
    if (word === 'ready') return;
    this.#jobs.delete(number);
    if (job.isAwaited) this.#await(-1);
    if (word === 'failed') job.failed(new Error(rest));
    else if (word !== 'exit') job.done();
  }

  /** Fails the orders of a helper that has ended. The next order starts a new helper. */
  #lose(helper: Helper, reason: string): void {
    if (this.#helper !== helper) return;
    this.#helper = undefined;
    const jobs = [...this.#jobs.values()];
    this.#jobs.clear();
    this.#awaited = 0;
    for (const { done, failed, isAwaited } of jobs) {
      if (isAwaited) failed(new Error(reason));
      // Containers keep running; their state files report the end.
      else done();
    }
  }
}

type OrderArguments = readonly (string | number | Uint8Array)[];
