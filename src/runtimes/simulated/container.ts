/**
 * One simulated container, from its creation to its end. Like a real container, it outlives the runtime that
 * created it: its script runs on the clock of the simulated machine.
 */
import { resourcesOfKernel } from '../../api/kernel-resources.ts';
import type { RuntimeContainer, RuntimeContainerState } from '../../api/runtime-pod.ts';
import { offAbort, onAbort } from '../../lib/abort-listeners.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { ContainerConfig, ContainerResources } from '../../ports/runtime/container-config.ts';
import type { ContainerScript, OutputLine } from './script.ts';

export interface LogLine {
  readonly atMs: number;
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
  readonly isPartial: boolean;
}

export interface ContainerOptions {
  readonly id: string;
  readonly podUid: string;
  readonly sandboxId: string;
  readonly config: ContainerConfig;
  readonly script: ContainerScript;
  readonly clock: Clock;
  /** Called when the container starts to run and when it has ended. */
  readonly changed: (what: 'containerStarted' | 'containerDied') => void;
  /** Called with every line that the container writes. Null: the log begins, empty. */
  readonly wrote: (line: LogLine | null) => void;
}

interface End {
  readonly atMs: number;
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string;
}

const KILLED = 137;
const TERMINATED = 143;
const NEVER_RAN = 128;

export class SimulatedContainer {
  readonly options: ContainerOptions;
  readonly log: LogLine[] = [];
  readonly #createdAtMs: number;
  readonly #timers = new Set<Cancel>();
  readonly #waiters = new Set<() => void>();
  readonly #listeners = new Set<(line: LogLine) => void>();
  #startedAtMs: number | undefined;
  #end: End | undefined;
  #isLost = false;
  #isSignalled = false;
  #killAtMs = Number.POSITIVE_INFINITY;
  #resources: ContainerResources;
  #terminationMessage = '';

  constructor(options: ContainerOptions) {
    this.options = options;
    this.#createdAtMs = options.clock.now();
    this.#resources = options.config.resources;
  }

  get state(): RuntimeContainerState {
    if (this.#isLost) return 'unknown';
    if (this.#end) return 'exited';
    return this.#startedAtMs === undefined ? 'created' : 'running';
  }

  get terminationMessage(): string {
    return this.#terminationMessage;
  }

  get resources(): ContainerResources {
    return this.#resources;
  }

  get hasRun(): boolean {
    return this.#startedAtMs !== undefined;
  }

  get runningMs(): number {
    return this.#startedAtMs === undefined ? 0 : this.options.clock.now() - this.#startedAtMs;
  }

  /** The size of its writable layer. Undefined: its script sets none. */
  get writableBytes(): number | undefined {
    const { runningMs } = this;
    return this.options.script.writes
      ?.filter(({ afterMs }) => afterMs <= runningMs)
      .reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Starts to run its script. */
  start(): void {
    if (this.#startedAtMs !== undefined || this.#end) return;
    const { clock, script, changed, wrote } = this.options;
    this.#startedAtMs = clock.now();
    wrote(null);
    for (const line of script.output ?? []) this.#later(line.afterMs, () => this.#say(line));
    if (script.lifeMs !== undefined) {
      this.#later(script.lifeMs, () => this.exit(script.exitCode ?? 0, script.exitReason));
    }
    changed('containerStarted');
  }

  /** Ends the container as one whose start failed. */
  failToStart(message: string): void {
    const atMs = this.options.clock.now();
    this.#end = { atMs, exitCode: NEVER_RAN, reason: 'StartError', message };
    this.#finish();
  }

  exit(exitCode: number, reason = exitCode === 0 ? 'Completed' : 'Error'): void {
    if (this.#startedAtMs === undefined || this.#end) return;
    this.#end = { atMs: this.options.clock.now(), exitCode, reason };
    this.#terminationMessage ||= this.options.script.terminationMessage ?? '';
    this.#finish();
  }

  kill(): void {
    this.#isLost = false;
    this.exit(KILLED);
  }

  /**
   * Sends the stop signal, and kills the container after the grace period. A shorter grace period replaces an
   * earlier one.
   */
  stop(graceMs: number): void {
    const { clock, script } = this.options;
    this.#isLost = false;
    if (this.state !== 'running') return;
    if (graceMs <= 0) return this.kill();
    const killAtMs = clock.monotonic() + graceMs;
    if (killAtMs < this.#killAtMs) {
      this.#killAtMs = killAtMs;
      this.#later(graceMs, () => this.kill());
    }
    if (this.#isSignalled || script.stop === 'ignored') return;
    this.#isSignalled = true;
    const { afterMs = 0, exitCode = TERMINATED } = script.stop ?? {};
    if (afterMs === 0) this.exit(exitCode);
    else this.#later(afterMs, () => this.exit(exitCode));
  }

  /** Resolves when the container is not running. An aborted signal ends only the wait. */
  ended(signal: AbortSignal): Promise<void> {
    if (this.state !== 'running') return Promise.resolve();
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#waiters.delete(done);
        reject(signal.reason);
      };
      const done = (): void => {
        offAbort(signal, abort);
        resolve();
      };
      this.#waiters.add(done);
      if (signal.aborted) abort();
      else onAbort(signal, abort);
    });
  }

  /** Simulates that the runtime loses track of the container. */
  lose(): void {
    if (!this.#end) this.#isLost = true;
  }

  resize(resources: ContainerResources): void {
    this.#resources = { ...this.#resources, ...resources };
  }

  /** Sends every further line to the listener. */
  listen(listener: (line: LogLine) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  view(): RuntimeContainer {
    const { id, config, sandboxId } = this.options;
    const end = this.#end;
    return {
      id,
      name: config.name,
      state: this.state,
      sandboxID: sandboxId,
      restartCount: config.attempt,
      image: config.image,
      imageRef: config.imageRef,
      createdAt: timeOf(this.#createdAtMs),
      resources: resourcesOfKernel(this.#resources),
      ...(this.#startedAtMs !== undefined && { startedAt: timeOf(this.#startedAtMs) }),
      ...(end && {
        finishedAt: timeOf(end.atMs),
        exitCode: end.exitCode,
        reason: end.reason,
        ...(end.message !== undefined && { message: end.message }),
        ...(this.#startedAtMs === undefined && { startedAt: timeOf(0) }),
      }),
    };
  }

  #finish(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    this.options.changed('containerDied');
    for (const resolve of waiters) resolve();
  }

  #say({ text, stream = 'stdout', isPartial = false }: OutputLine): void {
    const line = { atMs: this.options.clock.now(), stream, text, isPartial };
    this.log.push(line);
    this.options.wrote(line);
    for (const listener of this.#listeners) listener(line);
  }

  #later(ms: number, act: () => void): void {
    const cancel = this.options.clock.after(ms, () => {
      this.#timers.delete(cancel);
      act();
    });
    this.#timers.add(cancel);
  }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
