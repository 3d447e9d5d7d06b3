/** A world for a command: what it says is kept, and signals are sent by hand. */
import { run } from '../../src/cli/run.ts';
import type { Io, StopSignal } from '../../src/cli/io.ts';

export class CliStage {
  out = '';
  err = '';
  readonly exits: number[] = [];
  readonly #listeners = new Set<(signal: StopSignal) => void>();
  readonly #env: Io['env'];

  constructor(env: Io['env'] = {}) {
    this.#env = env;
  }

  readonly io: Io = {
    out: (text) => void (this.out += text),
    err: (text) => void (this.err += text),
    env: {},
    isTerminal: false,
    onStop: (listener) => {
      this.#listeners.add(listener);
      return () => this.#listeners.delete(listener);
    },
    exit: (code) => void this.exits.push(code),
  };

  run(...args: readonly string[]): Promise<number> {
    return run(args, { ...this.io, env: this.#env });
  }

  /** How many are waiting for signals. */
  get listeners(): number {
    return this.#listeners.size;
  }

  signal(signal: StopSignal): void {
    for (const listener of this.#listeners) listener(signal);
  }
}
