/**
 * Splits incoming bytes into SPDY frames, however the bytes were cut.
 *
 * Data are passed on as they arrive: a frame of sixteen megabytes in as many parts as it arrives in, of which
 * only the last may be final. Only control frames, which are small, are collected first, so that a client
 * cannot make podkeep buffer much.
 */
import {
  FRAME_HEADER_BYTES,
  isFinal,
  readControlFrame,
  readFrameHeader,
  type Frame,
  type FrameHeader,
} from './frames.ts';
import { spdyViolated } from './spdy-error.ts';

/** Kubernetes' headers are a few dozen bytes long. */
const CONTROL_BYTES_MAX = 64 * 1024;

export class FrameReader {
  /** The incomplete header or control frame. */
  #parts: Buffer[] = [];
  #gathered = 0;
  #header: FrameHeader | null = null;
  /** The remaining bytes of the current data frame. */
  #dataLeft = 0;

  /** Throws SPDY_VIOLATED; nothing can be read after that. */
  *read(chunk: Uint8Array): Generator<Frame, void> {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (;;) {
      const header = this.#header;
      if (header && !header.isControl) {
        if (rest.length === 0 && this.#dataLeft > 0) return;
        const data = rest.subarray(0, this.#dataLeft);
        rest = rest.subarray(data.length);
        yield this.#passData(header, data);
        continue;
      }
      const wanted = header ? header.length : FRAME_HEADER_BYTES;
      const taken = rest.subarray(0, wanted - this.#gathered);
      rest = rest.subarray(taken.length);
      const whole = this.#gather(taken, wanted);
      if (!whole) return;
      const frame = header ? this.#finishControl(header, whole) : this.#begin(whole);
      if (frame) yield frame;
    }
  }

  #passData(header: FrameHeader, data: Buffer): Frame {
    const { streamId } = header;
    this.#dataLeft -= data.length;
    const isLast = this.#dataLeft === 0;
    if (isLast) this.#header = null;
    return { type: 'data', streamId, isFin: isLast && isFinal(header), data };
  }

  #gather(part: Buffer, wanted: number): Buffer | null {
    if (part.length > 0) this.#parts.push(part);
    this.#gathered += part.length;
    if (this.#gathered < wanted) return null;
    const whole = this.#parts.length <= 1 ? part : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#gathered = 0;
    return whole;
  }

  #begin(bytes: Buffer): null {
    const header = readFrameHeader(bytes);
    if (header.isControl && header.length > CONTROL_BYTES_MAX) {
      throw spdyViolated({ what: `a control frame of ${header.length} bytes` });
    }
    this.#header = header;
    this.#dataLeft = header.isControl ? 0 : header.length;
    return null;
  }

  #finishControl(header: FrameHeader, payload: Buffer): Frame | null {
    this.#header = null;
    return readControlFrame(header, payload);
  }
}
