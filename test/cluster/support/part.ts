/** A program of the control plane that can be stopped and started again, at the same address. */
import type { Daemon } from '../../e2e/support/daemon.ts';

export class Part {
  readonly #begin: () => Promise<Daemon>;
  #daemon: Daemon | undefined;

  constructor(begin: () => Promise<Daemon>) {
    this.#begin = begin;
  }

  get tail(): string {
    return this.#daemon?.tail ?? '';
  }

  /** When this resolves, it answers. */
  async start(): Promise<void> {
    this.#daemon = await this.#begin();
  }

  async stop(signal?: NodeJS.Signals): Promise<void> {
    await this.#daemon?.stop(signal);
  }

  async restart(signal?: NodeJS.Signals): Promise<void> {
    await this.stop(signal);
    await this.start();
  }
}
