import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { PodkeepError } from '../errors.ts';
import { FrameReader } from './frame-reader.ts';
import { encodeFrame, type Frame } from './frames.ts';

const streamId = fc.integer({ min: 1, max: 0x7fff_ffff });
const word = fc.integer({ min: 0, max: 0xffff_ffff });
const isFin = fc.boolean();
const block = fc.uint8Array({ maxLength: 300 });

const controlFrames = fc.oneof(
  fc.record({
    type: fc.constant('synStream' as const),
    streamId,
    isFin,
    isUnidirectional: fc.boolean(),
    block,
  }),
  fc.record({ type: fc.constant('synReply' as const), streamId, isFin, block }),
  fc.record({ type: fc.constant('headers' as const), streamId, isFin, block }),
  fc.record({ type: fc.constant('rstStream' as const), streamId, status: word }),
  fc.record({
    type: fc.constant('settings' as const),
    values: fc.array(fc.tuple(fc.integer({ min: 0, max: 0xff_ffff }), word), { maxLength: 9 }),
  }),
  fc.record({ type: fc.constant('ping' as const), id: word }),
  fc.record({ type: fc.constant('goAway' as const), lastStreamId: streamId, status: word }),
  fc.record({ type: fc.constant('windowUpdate' as const), streamId, delta: streamId }),
);
const dataFrames = fc.record({ type: fc.constant('data' as const), streamId, isFin, data: block });

/** Data may arrive in several parts; only the whole counts. */
function joined(frames: readonly Frame[]): unknown[] {
  const whole: unknown[] = [];
  let open: { type: 'data'; streamId: number; isFin: boolean; data: string } | null = null;
  for (const frame of frames) {
    if (frame.type !== 'data') {
      whole.push('block' in frame ? { ...frame, block: hex(frame.block) } : frame);
      open = null;
    } else if (open?.streamId === frame.streamId && !open.isFin) {
      open.data += hex(frame.data);
      open.isFin = frame.isFin;
    } else {
      open = { ...frame, data: hex(frame.data) };
      whole.push(open);
    }
  }
  return whole;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function readIn(bytes: Buffer, size: number): Frame[] {
  const reader = new FrameReader();
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    frames.push(...reader.read(bytes.subarray(at, at + size)));
  }
  return frames;
}

test('what was encoded is read again, wherever it was cut on its way', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(controlFrames, dataFrames), { maxLength: 12 }),
      fc.integer({ min: 1, max: 400 }),
      (frames, size) => {
        const bytes = Buffer.concat(frames.map(encodeFrame));
        expect(joined(readIn(bytes, size))).toEqual(joined(frames));
      },
    ),
  );
});

test('any bytes are read as frames or refused, and nothing else happens', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 2000 }),
      fc.integer({ min: 1, max: 50 }),
      (bytes, size) => {
        expect(outcomeOf(() => readIn(Buffer.from(bytes), size))).toMatch(
          /^(?:read|SPDY_VIOLATED)$/,
        );
      },
    ),
    { numRuns: 2000 },
  );
});

function outcomeOf(read: () => unknown): string {
  try {
    read();
    return 'read';
  } catch (error) {
    return error instanceof PodkeepError ? error.code : String(error);
  }
}

test('a frame that claims to be huge is refused before a byte of it has come', () => {
  const reader = new FrameReader();
  const header = Buffer.from([0x80, 3, 0, 1, 0, 0xff, 0xff, 0xff]);
  expect(() => [...reader.read(header)]).toThrow('a control frame of 16777215 bytes');
});

test('data are handed on before all of their frame is there, and only the last part is final', () => {
  const reader = new FrameReader();
  const frame = encodeFrame({
    type: 'data',
    streamId: 1,
    isFin: true,
    data: Buffer.from('abcdef'),
  });
  expect([...reader.read(frame.subarray(0, 11))]).toEqual([
    { type: 'data', streamId: 1, isFin: false, data: Buffer.from('abc') },
  ]);
  expect([...reader.read(frame.subarray(11))]).toEqual([
    { type: 'data', streamId: 1, isFin: true, data: Buffer.from('def') },
  ]);
});

test.each([
  ['settings that claim more than there is', [0x80, 3, 0, 4, 0, 0, 0, 4, 0xff, 0xff, 0xff, 0xff]],
  ['a reset without a reason', [0x80, 3, 0, 3, 0, 0, 0, 4, 0, 0, 0, 1]],
  ['another version', [0x80, 2, 0, 6, 0, 0, 0, 4, 0, 0, 0, 1]],
])('%s end the reading', (_what, bytes) => {
  expect(() => readIn(Buffer.from(bytes), 100)).toThrow('the other side does not speak SPDY/3.1');
});

test('frames of an unknown type are skipped', () => {
  const unknown = Buffer.from([0x80, 3, 0, 77, 0, 0, 0, 2, 1, 2]);
  const ping = encodeFrame({ type: 'ping', id: 1 });
  expect(readIn(Buffer.concat([unknown, ping]), 3)).toEqual([{ type: 'ping', id: 1 }]);
});
