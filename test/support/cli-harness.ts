/** The I/O of a command: its output is recorded, and the test sends signals. */
import { run } from '../../src/cli/run.ts';
import type { Io, Stdin, StopSignal } from '../../src/cli/io.ts';

/** Ends immediately. */
const NO_INPUT: Stdin = {
  isTerminal: false,
  read(take) {
    take(null).catch(() => {});
    return () => {};
  },
  setRaw: () => {},
  size: () => null,
  onResize: () => () => {},
};

export class CliHarness {
  out = '';
  err = '';
  readonly exits: number[] = [];
  readonly #listeners = new Set<(signal: StopSignal) => void>();
  readonly #env: Io['env'];

  readonly #stdin: Stdin;

  constructor(env: Io['env'] = {}, stdin: Stdin = NO_INPUT) {
    this.#env = env;
    this.#stdin = stdin;
  }

  readonly io: Io = {
    out: (text) => void (this.out += text),
    err: (text) => void (this.err += text),
    write: (stream, bytes) => {
      this[stream] += Buffer.from(bytes).toString();
      return Promise.resolve();
    },
    stdin: NO_INPUT,
    env: {},
    isTerminal: false,
    onStop: (listener) => {
      this.#listeners.add(listener);
      return () => this.#listeners.delete(listener);
    },
    exit: (code) => void this.exits.push(code),
  };

  run(...args: readonly string[]): Promise<number> {
    return run(args, { ...this.io, env: this.#env, stdin: this.#stdin });
  }

  /** How many handlers wait for signals. */
  get listeners(): number {
    return this.#listeners.size;
  }

  signal(signal: StopSignal): void {
    for (const listener of this.#listeners) listener(signal);
  }
}
