/** Two ends of a connection without a network: what is written to one is read from the other. */
import { Duplex } from 'node:stream';

class End extends Duplex {
  other: End | undefined;
  #resume: (() => void) | undefined;

  override _read(): void {
    this.#resume?.();
    this.#resume = undefined;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.other?.take(chunk, done);
  }

  override _final(done: () => void): void {
    this.other?.push(null);
    done();
  }

  take(chunk: Buffer, done: () => void): void {
    if (this.push(chunk)) done();
    else this.#resume = done;
  }
}

export function duplexPair(): readonly [Duplex, Duplex] {
  const [a, b] = [new End(), new End()];
  a.other = b;
  b.other = a;
  return [a, b];
}
