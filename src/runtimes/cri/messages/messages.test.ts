import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { PodkeepError } from '../../../lib/errors.ts';
import { ContainerConfigMessage, ContainerStatus } from './container-messages.ts';
import {
  bigUint64,
  bool,
  bytes,
  choice,
  int32,
  int64,
  int64s,
  labels,
  many,
  nanoseconds,
  one,
  text,
  texts,
  uint32,
  uint64,
} from './fields.ts';
import { message } from './message.ts';
import { ListPodSandboxResponse, PodSandboxStatus } from './sandbox-messages.ts';
import { criSignal, SIGNALS } from './signals.ts';

const Inner = message({ name: text(1), numbers: int64s(2) });
const Outer = message({
  word: text(1),
  words: texts(2),
  isSet: bool(3),
  small: int32(4),
  size: uint32(5),
  large: int64(6),
  unsigned: uint64(7),
  time: nanoseconds(8),
  counter: bigUint64(9),
  raw: bytes(10),
  mode: choice(11, ['A', 'B', 'C']),
  inner: one(12, Inner),
  inners: many(2000, Inner),
  labels: labels(14),
});

const innerOf = fc.record({
  name: fc.string(),
  numbers: fc.array(fc.maxSafeInteger(), { maxLength: 5 }),
});
const outerOf = fc.record({
  word: fc.string({ unit: 'grapheme' }),
  words: fc.array(fc.string(), { maxLength: 5 }),
  isSet: fc.boolean(),
  small: fc.integer(),
  size: fc.nat({ max: 0xffff_ffff }),
  large: fc.maxSafeInteger(),
  unsigned: fc.maxSafeNat(),
  time: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  counter: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  raw: fc.uint8Array({ maxLength: 50 }),
  mode: fc.constantFrom('A' as const, 'B' as const, 'C' as const),
  inner: fc.option(innerOf, { nil: undefined }),
  inners: fc.array(innerOf, { maxLength: 4 }),
  labels: fc.dictionary(fc.string(), fc.string(), { maxKeys: 5, noNullPrototype: true }),
});

test('written messages are read again', () => {
  fc.assert(
    fc.property(outerOf, (value) => {
      expect(Outer.read(Outer.write(value))).toEqual(value);
    }),
  );
});

test('fields that were left out have their default', () => {
  expect(Outer.read(new Uint8Array())).toEqual({
    word: '',
    words: [],
    isSet: false,
    small: 0,
    size: 0,
    large: 0,
    unsigned: 0,
    time: 0n,
    counter: 0n,
    raw: new Uint8Array(),
    mode: 'A',
    inner: undefined,
    inners: [],
    labels: {},
  });
  expect(Outer.write({ word: '', large: 0, mode: 'A', labels: {} })).toEqual(new Uint8Array());
});

test('unknown fields are skipped, and pieces of one message are merged', () => {
  const Newer = message({ word: text(1), future: text(90), more: one(91, Inner) });
  const newer = Newer.write({ word: 'kept', future: 'x', more: { name: 'y' } });
  expect(Outer.read(newer).word).toBe('kept');
  const pieces = [{ inner: { name: 'a', numbers: [1] } }, { inner: { numbers: [2] } }];
  const joined = Buffer.concat(pieces.map((piece) => Outer.write(piece)));
  expect(Outer.read(joined).inner).toEqual({ name: 'a', numbers: [1, 2] });
});

test('numbers are read packed and one by one', () => {
  expect(Inner.read(Uint8Array.of(0x10, 1, 0x12, 2, 2, 3, 0x10, 4)).numbers).toEqual([1, 2, 3, 4]);
});

test('an enum value without a name differs from those that have one', () => {
  expect(Outer.read(Uint8Array.of(0x58, 9)).mode).toBe('UNRECOGNIZED');
});

test('a label may have any name', () => {
  const value = { labels: Object.fromEntries([['__proto__', 'x']]) };
  const read = Outer.read(Outer.write(value)).labels;
  expect(Object.entries(read)).toEqual([['__proto__', 'x']]);
  expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
});

test('a number beyond what is exact is rounded, and a time is not', () => {
  const big = Outer.write({ counter: 2n ** 64n - 1n });
  big[0] = 7 << 3; // the same bytes as `unsigned`
  expect(Outer.read(big).unsigned).toBe(2 ** 64);
  const time = 1_763_340_000_123_456_789n;
  expect(Outer.read(Outer.write({ time })).time).toBe(time);
});

test('hostile bytes are refused, and nothing else happens', () => {
  const outcomeOf = (read: () => unknown): string => {
    try {
      read();
      return 'read';
    } catch (error) {
      return error instanceof PodkeepError ? error.code : String(error);
    }
  };
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (noise) => {
      for (const kind of [Outer, ContainerStatus, PodSandboxStatus, ListPodSandboxResponse]) {
        expect(outcomeOf(() => kind.read(noise))).toMatch(/^(?:read|PROTOBUF_MALFORMED)$/);
      }
    }),
    { numRuns: 1000 },
  );
});

test('signals have the numbers of the interface', () => {
  expect(SIGNALS).toHaveLength(66);
  expect(SIGNALS.indexOf('SIGTERM')).toBe(23);
  expect(SIGNALS.indexOf('SIGUSR1')).toBe(29);
  expect(SIGNALS.indexOf('SIGRTMIN')).toBe(35);
  expect(SIGNALS.indexOf(criSignal('SIGRTMIN+3'))).toBe(38);
  expect(SIGNALS.indexOf(criSignal('SIGRTMAX-14'))).toBe(51);
  expect(SIGNALS.indexOf('SIGRTMAX')).toBe(65);
  const { stopSignal } = ContainerConfigMessage.read(
    ContainerConfigMessage.write({ stopSignal: 'SIGUSR1' }),
  );
  expect(stopSignal).toBe('SIGUSR1');
});
