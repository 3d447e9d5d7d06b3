/**
 * Encodes and decodes frames of SPDY/3.1.
 *
 *     control   1 | version 15 | type 16      data   0 | stream 31
 *               flags 8 | length 24                  flags 8 | length 24
 *               payload                              bytes
 *
 * Header blocks stay compressed here: decompressing one needs all earlier blocks of the connection
 * (header-block.ts).
 */
import { spdyViolated } from './spdy-error.ts';

export type Frame = ControlFrame | DataFrame;

export type ControlFrame =
  | SynStreamFrame
  | ({ readonly type: 'synReply'; readonly streamId: number; readonly isFin: boolean } & Block)
  | { readonly type: 'rstStream'; readonly streamId: number; readonly status: number }
  | {
      readonly type: 'settings';
      readonly values: readonly (readonly [id: number, value: number])[];
    }
  | { readonly type: 'ping'; readonly id: number }
  | { readonly type: 'goAway'; readonly lastStreamId: number; readonly status: number }
  | ({ readonly type: 'headers'; readonly streamId: number; readonly isFin: boolean } & Block)
  | { readonly type: 'windowUpdate'; readonly streamId: number; readonly delta: number };

interface Block {
  readonly block: Uint8Array;
}

export interface SynStreamFrame extends Block {
  readonly type: 'synStream';
  readonly streamId: number;
  readonly isFin: boolean;
  /** The sender of the frame expects no data on the stream. */
  readonly isUnidirectional: boolean;
}

export interface DataFrame {
  readonly type: 'data';
  readonly streamId: number;
  readonly isFin: boolean;
  readonly data: Uint8Array;
}

/** Reasons of RST_STREAM. */
export const RESET = { protocolError: 1, refused: 3, cancel: 5, flowControlError: 7 } as const;
/** Reasons of GOAWAY. */
export const GO_AWAY = { ok: 0, protocolError: 1 } as const;
/** The only setting that is used: the initial send window of a stream. */
export const SETTING_INITIAL_WINDOW = 7;

export const FRAME_HEADER_BYTES = 8;
export const STREAM_ID_MAX = 0x7fff_ffff;
const VERSION = 3;
const CONTROL_BIT = 0x8000_0000;
const LENGTH_MASK = 0xff_ffff;
const FIN = 1;
const UNIDIRECTIONAL = 2;
const SETTING_BYTES = 8;

const TYPES = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const;

/** The first eight bytes of a frame. */
export interface FrameHeader {
  readonly isControl: boolean;
  /** Of a control frame. */
  readonly type: number;
  /** Of a data frame. */
  readonly streamId: number;
  readonly flags: number;
  readonly length: number;
}

/** Throws SPDY_VIOLATED. */
export function readFrameHeader(bytes: Buffer): FrameHeader {
  const first = bytes.readUInt32BE(0);
  const second = bytes.readUInt32BE(4);
  const isControl = first >= CONTROL_BIT;
  const version = (first >>> 16) & 0x7fff;
  if (isControl && version !== VERSION) throw spdyViolated({ what: `version ${version}` });
  return {
    isControl,
    type: first & 0xffff,
    streamId: first & STREAM_ID_MAX,
    flags: second >>> 24,
    length: second & LENGTH_MASK,
  };
}

/** Null: an unknown type of frame, which may be skipped. Throws SPDY_VIOLATED. */
export function readControlFrame(
  { type, flags }: FrameHeader,
  payload: Buffer,
): ControlFrame | null {
  const isFin = (flags & FIN) !== 0;
  const streamId = (): number => wordAt(payload, 0) & STREAM_ID_MAX;
  switch (type) {
    case TYPES.synStream: {
      const isUnidirectional = (flags & UNIDIRECTIONAL) !== 0;
      return {
        type: 'synStream',
        streamId: streamId(),
        isFin,
        isUnidirectional,
        block: after(payload, 10),
      };
    }
    case TYPES.synReply:
      return { type: 'synReply', streamId: streamId(), isFin, block: after(payload, 4) };
    case TYPES.rstStream:
      return { type: 'rstStream', streamId: streamId(), status: wordAt(payload, 4) };
    case TYPES.settings:
      return { type: 'settings', values: readSettings(payload) };
    case TYPES.ping:
      return { type: 'ping', id: wordAt(payload, 0) };
    case TYPES.goAway:
      return { type: 'goAway', lastStreamId: streamId(), status: wordAt(payload, 4) };
    case TYPES.headers:
      return { type: 'headers', streamId: streamId(), isFin, block: after(payload, 4) };
    case TYPES.windowUpdate:
      return {
        type: 'windowUpdate',
        streamId: streamId(),
        delta: wordAt(payload, 4) & STREAM_ID_MAX,
      };
    default:
      return null;
  }
}

export function isFinal({ flags }: FrameHeader): boolean {
  return (flags & FIN) !== 0;
}

export function encodeFrame(frame: Frame): Buffer {
  const fin = 'isFin' in frame && frame.isFin ? FIN : 0;
  switch (frame.type) {
    case 'data':
      return joined(frame.streamId, fin, frame.data);
    case 'synStream': {
      const flags = fin | (frame.isUnidirectional ? UNIDIRECTIONAL : 0);
      // No associated stream, the highest priority, no slot.
      return control(
        TYPES.synStream,
        flags,
        words(frame.streamId, 0),
        Buffer.alloc(2),
        frame.block,
      );
    }
    case 'synReply':
    case 'headers':
      return control(TYPES[frame.type], fin, words(frame.streamId), frame.block);
    case 'rstStream':
      return control(TYPES.rstStream, 0, words(frame.streamId, frame.status));
    case 'settings':
      return control(TYPES.settings, 0, words(frame.values.length, ...frame.values.flat()));
    case 'ping':
      return control(TYPES.ping, 0, words(frame.id));
    case 'goAway':
      return control(TYPES.goAway, 0, words(frame.lastStreamId, frame.status));
    case 'windowUpdate':
      return control(TYPES.windowUpdate, 0, words(frame.streamId, frame.delta));
  }
}

function control(type: number, flags: number, ...payload: readonly Uint8Array[]): Buffer {
  return joined(((0x8000 | VERSION) * 0x1_0000 + type) >>> 0, flags, ...payload);
}

function joined(first: number, flags: number, ...payload: readonly Uint8Array[]): Buffer {
  const length = payload.reduce((sum, part) => sum + part.byteLength, 0);
  return Buffer.concat([words(first, ((flags << 24) | length) >>> 0), ...payload]);
}

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, at) => bytes.writeUInt32BE(value, at * 4));
  return bytes;
}

function wordAt(payload: Buffer, at: number): number {
  if (payload.length < at + 4) throw spdyViolated({ what: 'a frame that is too short' });
  return payload.readUInt32BE(at);
}

function after(payload: Buffer, at: number): Buffer {
  if (payload.length < at) throw spdyViolated({ what: 'a frame that is too short' });
  return payload.subarray(at);
}

function readSettings(payload: Buffer): readonly (readonly [number, number])[] {
  const count = wordAt(payload, 0);
  if (count > (payload.length - 4) / SETTING_BYTES) {
    throw spdyViolated({ what: 'more settings than their frame holds' });
  }
  return Array.from({ length: count }, (_, index) => {
    const at = 4 + index * SETTING_BYTES;
    return [wordAt(payload, at) & LENGTH_MASK, wordAt(payload, at + 4)] as const;
  });
}
