/**
 * A small process that stays, and makes system calls for us that Node has no function for: mounts,
 * namespaces, users.
 *
 *     we ──orders──> the hand ──forks──> what an order makes
 *      └─────<── done, failed, ended ──┘
 *
 * Each of these calls has a program that makes it, and a container takes a dozen of them; starting those
 * programs takes far longer than what they do. There is one hand for all who ask. It keeps nobody from
 * ending, sees the end of its orders when we are gone, however that happened, and ends. What it has
 * started goes on.
 */
import { ChildProcess, spawn, type ChildProcessByStdio } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { handScript } from './hand-script.ts';
import { packCalls, packWords, type KernelCall } from './kernel-calls.ts';

/** The first processes of a container: what they do, one after the other. */
export interface ContainerOrder {
  /** Where `state` is, with room in it, and where `claim`, `stdout` and `stderr` come to be. */
  readonly folder: string;
  /** How its first process is listed among those of the machine. */
  readonly title: string;
  readonly bootId: string;
  /** The namespaces that its first process is made in. */
  readonly namespaces: number;
  /** Before there is a first process, which is then made elsewhere. */
  readonly through: readonly KernelCall[];
  /** As the first process. */
  readonly setup: readonly KernelCall[];
  /** As the process that becomes the command. */
  readonly enter: readonly KernelCall[];
  readonly env: readonly (readonly [name: string, value: string])[];
  readonly command: readonly string[];
  /** What to say when there is no such command. */
  readonly missing: string;
}

interface Job {
  readonly done: () => void;
  readonly failed: (error: Error) => void;
  readonly isAwaited: boolean;
}

type Hand = ChildProcessByStdio<Writable, Readable, null>;

let found: Promise<KernelHand | undefined> | undefined;

const PROGRAMS = ['/usr/bin/perl', '/bin/perl', '/usr/local/bin/perl'];
const ENV = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };

export class KernelHand {
  readonly #program: string;
  readonly #script: string;
  readonly #jobs = new Map<number, Job>();
  #hand: Hand | undefined;
  #count = 0;
  #awaited = 0;
  #rest = '';

  private constructor(program: string, script: string) {
    this.#program = program;
    this.#script = script;
  }

  /** Undefined: this machine has no such hand. That does not change, so it is tried once. */
  static find(): Promise<KernelHand | undefined> {
    found ??= KernelHand.#try();
    return found;
  }

  static async #try(): Promise<KernelHand | undefined> {
    const script = process.platform === 'linux' ? handScript(process.arch) : undefined;
    const program = PROGRAMS.find(isExecutable);
    if (script === undefined || program === undefined) return undefined;
    const hand = new KernelHand(program, script);
    // It says so when it is ready, and ends if its language lacks something.
    const isReady = await hand.#ready();
    return isReady ? hand : undefined;
  }

  /** One after the other, in the hand itself. Rejects with the first that fails; the rest is left. */
  perform(calls: readonly KernelCall[]): Promise<void> {
    return this.#ask('do', [packCalls(calls)]);
  }

  /** The same in a process that then ends. */
  performApart(calls: readonly KernelCall[]): Promise<void> {
    return this.#ask('fork', [packCalls(calls)]);
  }

  /** Makes the first process of a container. Told at the end: of it, or of whoever could have told. */
  run(order: ContainerOrder, onEnd: () => void, onError: (error: Error) => void): void {
    const { folder, title, bootId, namespaces, through, setup, enter, missing } = order;
    const words = Object.entries({
      dir: folder,
      title,
      boot: bootId,
      flags: namespaces,
      through: packCalls(through),
      setup: packCalls(setup),
      enter: packCalls(enter),
      env: packWords(order.env.flat()),
      command: packWords(order.command),
      missing,
    }).flat();
    this.#send('run', words, { done: onEnd, failed: onError, isAwaited: false });
  }

  #ready(): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (): void => resolve(true);
      const failed = (): void => resolve(false);
      this.#jobs.set(this.#count++, { done, failed, isAwaited: true });
      this.#open();
      this.#await(1);
    });
  }

  #ask(kind: string, words: readonly (string | number | Uint8Array)[]): Promise<void> {
    return new Promise((done, failed) => {
      this.#send(kind, words, { done, failed, isAwaited: true });
    });
  }

  #send(kind: string, words: readonly (string | number | Uint8Array)[], job: Job): void {
    const number = this.#count++;
    this.#jobs.set(number, job);
    const hand = this.#open();
    this.#await(job.isAwaited ? 1 : 0);
    hand.stdin.write(packWords([packWords([number, kind, ...words])]));
  }

  /** A hand that nobody waits for keeps nobody from ending. */
  #await(change: number): void {
    this.#awaited += change;
    for (const part of [this.#hand, this.#hand?.stdin, this.#hand?.stdout]) {
      if (!(part instanceof ChildProcess || part instanceof Socket)) continue;
      if (this.#awaited > 0) part.ref();
      else part.unref();
    }
  }

  #open(): Hand {
    if (this.#hand) return this.#hand;
    const hand = spawn(this.#program, ['-e', this.#script], {
      cwd: '/',
      env: ENV,
      // Signals of a terminal are not meant for it.
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#hand = hand;
    this.#rest = '';
    hand.stdin.on('error', () => undefined);
    hand.stdout.setEncoding('utf8').on('data', (text: string) => this.#hear(text));
    hand.on('error', (error) => this.#lose(hand, error.message));
    hand.on('exit', () => this.#lose(hand, 'the process that does this has ended'));
    return hand;
  }

  #hear(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const [number = '', word = '', ...reason] = line.split(' ');
      this.#settle(Number(number), word === 'failed' ? reason.join(' ').trim() : undefined);
    }
  }

  #settle(number: number, trouble: string | undefined): void {
    const job = this.#jobs.get(number);
    if (!job) return;
    this.#jobs.delete(number);
    if (job.isAwaited) this.#await(-1);
    if (trouble === undefined) job.done();
    else job.failed(new Error(trouble));
  }

  /** The next order gets a new one. */
  #lose(hand: Hand, reason: string): void {
    if (this.#hand !== hand) return;
    this.#hand = undefined;
    const jobs = [...this.#jobs.values()];
    this.#jobs.clear();
    this.#awaited = 0;
    for (const { done, failed, isAwaited } of jobs) {
      if (isAwaited) failed(new Error(reason));
      // What it ran goes on; only the news of its end come otherwise.
      else done();
    }
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
