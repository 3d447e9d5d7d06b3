import { describe, expect, test } from 'vitest';
import { encodeProtobuf } from './encode.ts';
import { decodeWatchEvent, encodeWatchEvent, frameMessage } from './watch-event.ts';

const namespace = {
  kind: 'Namespace',
  apiVersion: 'v1',
  metadata: { name: 'a', resourceVersion: '7' },
  spec: {},
  status: {},
};
const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, reason: 'Expired', code: 410 };

describe('events of a watch', () => {
  test.each([
    ['ADDED', namespace],
    ['BOOKMARK', namespace],
    ['ERROR', status],
  ])('%s is written and read', (type, object) => {
    expect(decodeWatchEvent(encodeWatchEvent({ type, object }))).toEqual({ type, object });
  });

  test('the object is in the event in its own envelope', () => {
    const raw = [...encodeProtobuf(namespace)];
    expect([...encodeWatchEvent({ type: 'ADDED', object: namespace })]).toEqual([
      ...[0x0a, 5, ...Buffer.from('ADDED')],
      ...[0x12, raw.length + 2, 0x0a, raw.length, ...raw],
    ]);
  });

  test('in a stream each one follows its length', () => {
    expect([...frameMessage(new Uint8Array(258).fill(7))].slice(0, 5)).toEqual([0, 0, 1, 2, 7]);
    expect([...frameMessage(new Uint8Array())]).toEqual([0, 0, 0, 0]);
  });

  test('an event without an object is malformed', () => {
    const malformed = expect.objectContaining({ code: 'PROTOBUF_MALFORMED' });
    expect(() => decodeWatchEvent(Uint8Array.of(0x0a, 1, 0x41))).toThrow(malformed);
    expect(() => decodeWatchEvent(Uint8Array.of(0x12, 9))).toThrow(malformed);
  });
});
