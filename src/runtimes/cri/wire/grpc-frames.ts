/**
 * Reads and writes gRPC's message frames: a compression byte, four bytes of length, the message. Chunks of
 * the stream may be cut anywhere.
 */
import { answerBroken } from '../errors.ts';

const HEADER_BYTES = 5;

export function frameMessage(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(HEADER_BYTES + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, HEADER_BYTES);
  return frame;
}

export class GrpcFrameReader {
  readonly #call: string;
  readonly #bytesMax: number;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(call: string, bytesMax: number) {
    this.#call = call;
    this.#bytesMax = bytesMax;
  }

  /** Yields the messages that this chunk completes. Throws RUNTIME_ANSWER_BROKEN. */
  *read(chunk: Buffer): Generator<Uint8Array, void> {
    this.#parts.push(chunk);
    this.#size += chunk.length;
    while (this.#size >= HEADER_BYTES) {
      const length = this.#lengthOfNext();
      if (this.#size < HEADER_BYTES + length) return;
      const all = this.#gathered();
      const end = HEADER_BYTES + length;
      this.#parts = [all.subarray(end)];
      this.#size -= end;
      yield all.subarray(HEADER_BYTES, end);
    }
  }

  /** Throws if the stream has ended in the middle of a message. */
  finish(): void {
    if (this.#size > 0) throw this.#broken('it ends in the middle of a message');
  }

  #lengthOfNext(): number {
    let [first] = this.#parts;
    if (!first || first.length < HEADER_BYTES) first = this.#gathered();
    const length = first.readUInt32BE(1);
    if (first[0] !== 0) throw this.#broken('it is compressed, which was not requested');
    if (length > this.#bytesMax) {
      throw this.#broken(`it has ${length} bytes, more than the limit of ${this.#bytesMax}`);
    }
    return length;
  }

  #gathered(): Buffer {
    const [first] = this.#parts;
    const all = first && this.#parts.length === 1 ? first : Buffer.concat(this.#parts);
    this.#parts = [all];
    return all;
  }

  #broken(reason: string): Error {
    return answerBroken({ call: this.#call, reason });
  }
}
