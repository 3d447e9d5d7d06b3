import { describe, expect, test } from 'vitest';
import type { KubeWatchEvent } from '../../ports/api/kube-api.ts';
import { EventReader } from './event-reader.ts';
import { lineStream } from '../watch/line-stream.ts';
import { Outbox } from './outbox.ts';
import { EVENTS, LINES } from '../watch/packing.ts';

function line(text: string): Uint8Array {
  return new TextEncoder().encode(`${text}\n`);
}

async function take(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string | undefined> {
  const { value } = await reader.read();
  return value && new TextDecoder().decode(value);
}

test('first lines are made when they are read, and not before', async () => {
  let made = 0;
  function* first(): Generator<Uint8Array> {
    for (; made < 3; made++) yield line(`first ${made}`);
  }
  const outbox = new Outbox(first(), LINES, () => {});
  outbox.put(line('later'));
  expect(made).toBe(0);
  const reader = lineStream(outbox).getReader();
  expect(await take(reader)).toBe('first 0\nfirst 1\nfirst 2\n');
  expect(await take(reader)).toBe('later\n');
});

test('a waiting reader gets a line as soon as there is one', async () => {
  const outbox = new Outbox<Uint8Array>([], LINES, () => {});
  const reader = lineStream(outbox).getReader();
  const taken = take(reader);
  outbox.put(line('a'));
  expect(await taken).toBe('a\n');
});

test('waiting lines are taken in one piece', async () => {
  const outbox = new Outbox<Uint8Array>([], LINES, () => {});
  for (const text of ['a', 'b', 'c']) outbox.put(line(text));
  expect(await take(lineStream(outbox).getReader())).toBe('a\nb\nc\n');
});

test('a closed box yields what waits, and then ends', async () => {
  let ends = 0;
  const outbox = new Outbox<Uint8Array>([], LINES, () => ends++);
  outbox.put(line('a'));
  outbox.close();
  outbox.put(line('too late'));
  expect(await new Response(lineStream(outbox)).text()).toBe('a\n');
  expect(ends).toBe(1);
});

test('a final item replaces all that waits', async () => {
  const outbox = new Outbox([line('first')], LINES, () => {});
  outbox.put(line('a'));
  outbox.close(line('gone'));
  expect(await new Response(lineStream(outbox)).text()).toBe('gone\n');
});

test('a reader that leaves is noticed once', async () => {
  let ends = 0;
  const outbox = new Outbox<Uint8Array>([], LINES, () => ends++);
  await lineStream(outbox).cancel();
  outbox.close();
  expect(ends).toBe(1);
});

test('too much for one reader is reported, and not before it is too much', () => {
  const outbox = new Outbox<Uint8Array>([], LINES, () => {});
  const mebibyte = new Uint8Array(1024 * 1024);
  for (let count = 1; count <= 8; count++) expect(outbox.put(mebibyte)).toBe(true);
  expect(outbox.put(mebibyte)).toBe(false);
});

describe('a reader in this process', () => {
  const pod = { metadata: { name: 'a' } };

  test('gets the very objects, the first ones too', async () => {
    const outbox = new Outbox([EVENTS.pack('ADDED', pod)], EVENTS, () => {});
    const reader = new EventReader(outbox);
    const gone = { metadata: { name: 'b' } };
    outbox.put(EVENTS.pack('DELETED', gone));
    expect((await reader.next()).value?.object).toBe(pod);
    expect((await reader.next()).value?.object).toBe(gone);
  });

  test('that leaves is noticed once, and its pending read ends', async () => {
    let ends = 0;
    const outbox = new Outbox<KubeWatchEvent>([], EVENTS, () => ends++);
    const reader = new EventReader(outbox);
    const waiting = reader.next();
    await reader.return();
    outbox.put(EVENTS.pack('ADDED', pod));
    expect([await waiting, await reader.next()].map(({ done }) => done)).toEqual([true, true]);
    expect(ends).toBe(1);
  });

  test('gets what waits before the end', async () => {
    const outbox = new Outbox<KubeWatchEvent>([], EVENTS, () => {});
    const reader = new EventReader(outbox);
    outbox.put(EVENTS.pack('ADDED', pod));
    outbox.close();
    expect((await reader.next()).value?.type).toBe('ADDED');
    expect((await reader.next()).done).toBe(true);
  });
});
