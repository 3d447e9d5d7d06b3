/**
 * Drives a helper process that holds an inhibitor lock of logind, for graceful node shutdown. The lock is a
 * file descriptor that logind passes over D-Bus, which Node.js cannot receive.
 *
 *     podkeep ──delay, reload, inhibit, watch, release──> the helper ──D-Bus──> logind
 *        └──<── done, failed, shutdown 1, shutdown 0, closed ──┘
 *
 * Each connection has its own helper, whose program is program/logind.pl. The helper does not keep podkeep
 * from exiting. It ends with podkeep, and the lock is released then.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { findHelperProgram, HELPER_ENVIRONMENT } from './helper-program.ts';

export type LogindOrder = 'delay' | 'reload' | 'inhibit' | 'watch' | 'release';

type Helper = ChildProcessByStdio<Writable, Readable, null>;

interface Pending {
  readonly order: LogindOrder;
  readonly done: (value: string) => void;
  readonly failed: (error: Error) => void;
}

export class LogindHelper {
  /** Resolves with the reason when the connection to the bus, or the helper, has ended. */
  readonly closed: Promise<string>;
  readonly #child: Helper;
  readonly #onShutdown: (isShuttingDown: boolean) => void;
  #pending: Pending[] = [];
  #ready: () => void = () => {};
  #close: (reason: string) => void = () => {};
  #hasEnded = false;
  #rest = '';

  private constructor(child: Helper, onShutdown: (isShuttingDown: boolean) => void) {
    this.#child = child;
    this.#onShutdown = onShutdown;
    this.closed = new Promise((resolve) => (this.#close = resolve));
    child.stdin.on('error', () => undefined);
    child.stdout.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    child.on('error', (error) => this.#lose(error.message));
    child.on('exit', () => this.#lose('the helper for logind has ended'));
    for (const part of [child, child.stdin, child.stdout]) {
      if (part === child || part instanceof Socket) part.unref();
    }
  }

  /** `address`: as in DBUS_SYSTEM_BUS_ADDRESS. Rejects if the bus cannot be reached. */
  static async start(
    address: string,
    onShutdown: (isShuttingDown: boolean) => void,
  ): Promise<LogindHelper> {
    const found = findHelperProgram('logind.pl');
    if ('obstacle' in found) throw new Error(found.obstacle);
    const child = spawn(found.interpreter, [found.program, address], {
      cwd: '/',
      env: HELPER_ENVIRONMENT,
      // Signals of a terminal must not reach the helper: it must hold the lock until podkeep has stopped.
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const helper = new LogindHelper(child, onShutdown);
    const ready = new Promise<null>((resolve) => (helper.#ready = () => resolve(null)));
    const reason = await Promise.race([ready, helper.closed]);
    if (reason === null) return helper;
    helper.end();
    throw new Error(reason);
  }

  /** Resolves with the value of the answer. Empty: the answer has no value. */
  send(order: LogindOrder): Promise<string> {
    return new Promise((done, failed) => {
      if (this.#hasEnded) return failed(new Error('the helper for logind has ended'));
      this.#pending.push({ order, done, failed });
      this.#child.stdin.write(`${order}\n`);
    });
  }

  /** Releases the lock, whatever the helper is doing. */
  end(): void {
    this.#child.kill('SIGKILL');
    this.#lose('it was ended');
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#heard(line.trim());
  }

  #heard(line: string): void {
    const [word = '', ...rest] = line.split(' ');
    if (this.#hasEnded) return;
    if (word === 'ready') this.#ready();
    if (word === 'shutdown') this.#onShutdown(rest[0] === '1');
    // The connection is closed, but the helper still holds the lock.
    if (word === 'closed') this.#close(rest.join(' '));
    if (word !== 'done' && word !== 'failed') return;
    const [order, ...value] = rest;
    const index = this.#pending.findIndex((one) => one.order === order);
    const [pending] = index === -1 ? [] : this.#pending.splice(index, 1);
    if (word === 'done') pending?.done(value.join(' '));
    else pending?.failed(new Error(value.join(' ')));
  }

  #lose(reason: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#close(reason);
    for (const { failed } of this.#pending.splice(0)) failed(new Error(reason));
  }
}
