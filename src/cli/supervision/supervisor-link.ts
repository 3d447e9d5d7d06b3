/**
 * podkeep's end of the two pipes to its supervisor; the other end is in
 * lib/syscall-helper/program/supervisor.pl.
 *
 *     PODKEEP_SUPERVISOR=OUT,IN   descriptors: podkeep writes lines to OUT, and reads from IN
 *     PODKEEP_RESTARTS            how often and why the supervisor has restarted podkeep, as JSON
 *     PODKEEP_NOTIFY=1            the supervisor forwards notifications to a service manager
 *
 * Before Node.js starts another program, it closes the descriptors that it has inherited, so neither
 * containers nor commands get these pipes.
 */
import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { StopSignal } from '../io.ts';

/** One restart by the supervisor, and its cause. */
export interface Restart {
  /** `hang`, `exit` or `signal`. */
  readonly reason: string;
  readonly time: string;
  readonly attempt: number;
  readonly exitCode?: number;
  readonly signal?: string;
  /** What the supervisor observed about a process that hung. */
  readonly detail?: string;
}

export interface Restarts {
  /** By reason, since the start of the supervisor. */
  readonly counts: Readonly<Record<string, number>>;
  /** Restarts that have not been reported yet, oldest first. */
  readonly pending: readonly Restart[];
}

export interface SupervisorLink {
  readonly restarts: Restarts;
  /** True: the supervisor forwards notifications to a service manager. */
  readonly hasServiceManager: boolean;
  /** Starts to send heartbeats, which show that the event loop is not blocked. */
  startBeats(): void;
  stopBeats(): void;
  /** podkeep is up: from now on the supervisor restarts it if it fails. */
  ready(): void;
  /** podkeep is stopping on request, so the supervisor must not restart it. */
  stopping(): void;
  /** Sets the folder in which the supervisor records its restarts. */
  useFolder(folder: string): void;
  notify(text: string): void;
  /** The first `count` of `restarts.pending` have been reported. */
  reported(count: number): void;
  /** Calls the listener at each signal until the returned function is called. */
  onSignal(listener: (signal: StopSignal) => void): () => void;
}

type Environment = Record<string, string | undefined>;

const BEAT_MS = 1000;
const STOPS: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Undefined: podkeep has no supervisor. Removes the variables, so that programs that podkeep starts do not
 * inherit them. `lost` is called when the supervisor has ended.
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
  /** Signals that arrived before the first listener. */
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

/** Ignores invalid JSON: another program may have set the variable. */
function readJson(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
