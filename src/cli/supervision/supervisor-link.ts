/**
 * The two pipes between podkeep and its supervisor (lib/syscall-helper/program/supervisor.pl has the other side).
 *
 *     PODKEEP_SUPERVISOR=OUT,IN   descriptors: podkeep writes lines to OUT, and reads from IN
 *     PODKEEP_RESTARTS            how often and why the supervisor has started podkeep again, as JSON
 *     PODKEEP_NOTIFY=1            there is a service manager, which the supervisor notifies
 *
 * Node closes descriptors that it was started with before it starts other programs, so neither containers nor
 * commands have these.
 */
import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { StopSignal } from '../io.ts';

/** One start by the supervisor, and why it was needed. */
export interface Restart {
  /** `hang`, `exit` or `signal`. */
  readonly reason: string;
  readonly time: string;
  readonly attempt: number;
  readonly exitCode?: number;
  readonly signal?: string;
  /** What the supervisor saw of a process that hung. */
  readonly detail?: string;
}

export interface Restarts {
  /** By reason, since the supervisor began. */
  readonly counts: Readonly<Record<string, number>>;
  /** Those that no podkeep has reported yet, the oldest first. */
  readonly pending: readonly Restart[];
}

export interface SupervisorLink {
  readonly restarts: Restarts;
  /** The supervisor passes messages on to a service manager. */
  readonly hasServiceManager: boolean;
  /** Begins to report that the event loop turns. */
  startBeats(): void;
  stopBeats(): void;
  /** podkeep is up: from now on the supervisor starts it again if it fails. */
  ready(): void;
  /** podkeep ends because it was asked to. */
  stopping(): void;
  /** Where the supervisor writes down its restarts. */
  useFolder(folder: string): void;
  notify(text: string): void;
  /** So many of `restarts.pending`, from the oldest, need not be reported again. */
  reported(count: number): void;
  /** Calls back until the returned function is called. */
  onSignal(listener: (signal: StopSignal) => void): () => void;
}

type Environment = Record<string, string | undefined>;

const BEAT_MS = 1000;
const STOPS: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Undefined: podkeep has no supervisor. Removes the variables: programs that podkeep starts have none either.
 * `lost`: the supervisor has ended.
 */
export function openSupervisorLink(
  env: Environment,
  clock: Clock,
  lost: () => void,
): SupervisorLink | undefined {
  const { PODKEEP_SUPERVISOR: fds = '', PODKEEP_RESTARTS: restarts, PODKEEP_NOTIFY: notify } = env;
  for (const name of ['SUPERVISOR', 'RESTARTS', 'NOTIFY']) delete env[`PODKEEP_${name}`];
  const [out, input] = fds.split(',').map(Number);
  if (out === undefined || input === undefined || !isPipe(out) || !isPipe(input)) return undefined;
  return new PipeLink(
    new Socket({ fd: out, readable: false, writable: true }),
    new Socket({ fd: input, readable: true, writable: false }),
    { clock, lost, restarts: parseRestarts(restarts), hasServiceManager: notify !== undefined },
  );
}

interface LinkOptions {
  readonly clock: Clock;
  readonly lost: () => void;
  readonly restarts: Restarts;
  readonly hasServiceManager: boolean;
}

class PipeLink implements SupervisorLink {
  readonly restarts: Restarts;
  readonly hasServiceManager: boolean;
  readonly #out: Socket;
  readonly #clock: Clock;
  readonly #listeners = new Set<(signal: StopSignal) => void>();
  /** Signals that came before any listener. */
  readonly #early: StopSignal[] = [];
  #cancel: Cancel = () => {};
  #rest = '';

  constructor(out: Socket, input: Socket, options: LinkOptions) {
    this.restarts = options.restarts;
    this.hasServiceManager = options.hasServiceManager;
    this.#clock = options.clock;
    this.#out = out;
    for (const one of [out, input]) one.on('error', () => {}).unref();
    input.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    input.on('close', options.lost);
  }

  startBeats(): void {
    this.#send('beat');
    this.#cancel = this.#clock.after(BEAT_MS, () => this.startBeats());
  }

  stopBeats(): void {
    this.#cancel();
  }

  ready(): void {
    this.#send('ready');
  }

  stopping(): void {
    this.#send('stopping');
  }

  useFolder(folder: string): void {
    this.#send(`folder ${hex(folder)}`);
  }

  notify(text: string): void {
    this.#send(`notify ${hex(text)}`);
  }

  reported(count: number): void {
    this.#send(`reported ${count}`);
  }

  onSignal(listener: (signal: StopSignal) => void): () => void {
    this.#listeners.add(listener);
    for (const signal of this.#early.splice(0)) listener(signal);
    return () => this.#listeners.delete(listener);
  }

  #send(line: string): void {
    this.#out.write(`${line}\n`);
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const signal = STOPS.find((one) => line === `signal ${one}`);
      if (signal === undefined) continue;
      if (this.#listeners.size === 0) this.#early.push(signal);
      for (const listener of this.#listeners) listener(signal);
    }
  }
}

function isPipe(fd: number): boolean {
  if (!Number.isInteger(fd) || fd < 3) return false;
  try {
    return fstatSync(fd).isFIFO();
  } catch {
    return false;
  }
}

function hex(text: string): string {
  return Buffer.from(text).toString('hex');
}

function parseRestarts(text = '{}'): Restarts {
  const value = readJson(text);
  const { counts, pending } = value;
  return {
    counts: isJsonObject(counts)
      ? Object.fromEntries(Object.entries(counts).map(([reason, count]) => [reason, Number(count)]))
      : {},
    pending: Array.isArray(pending) ? pending.filter(isJsonObject).map(restartOf) : [],
  };
}

function restartOf({ reason, time, attempt, exitCode, signal, detail }: JsonObject): Restart {
  return {
    reason: textOf(reason),
    time: textOf(time),
    attempt: Number(attempt),
    ...(exitCode !== undefined && { exitCode: Number(exitCode) }),
    ...(signal !== undefined && { signal: textOf(signal) }),
    ...(detail !== undefined && { detail: textOf(detail) }),
  };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Another program may have set the variable. */
function readJson(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
