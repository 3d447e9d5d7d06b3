import { expect, test } from 'vitest';
import { Outbox } from './outbox.ts';

function line(text: string): Uint8Array {
  return new TextEncoder().encode(`${text}\n`);
}

async function take(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string | undefined> {
  const { value } = await reader.read();
  return value && new TextDecoder().decode(value);
}

test('first lines are made when somebody reads them, and not before', async () => {
  let made = 0;
  function* first(): Generator<Uint8Array> {
    for (; made < 3; made++) yield line(`first ${made}`);
  }
  const outbox = new Outbox(first(), () => {});
  outbox.put(line('later'));
  expect(made).toBe(0);
  const reader = outbox.stream.getReader();
  expect(await take(reader)).toBe('first 0\nfirst 1\nfirst 2\n');
  expect(await take(reader)).toBe('later\n');
});

test('a reader that waits gets a line as soon as there is one', async () => {
  const outbox = new Outbox([], () => {});
  const reader = outbox.stream.getReader();
  const taken = take(reader);
  outbox.put(line('a'));
  expect(await taken).toBe('a\n');
});

test('what waits is taken in one piece', async () => {
  const outbox = new Outbox([], () => {});
  for (const text of ['a', 'b', 'c']) outbox.put(line(text));
  expect(await take(outbox.stream.getReader())).toBe('a\nb\nc\n');
});

test('a closed box gives what waits, and then ends', async () => {
  let ends = 0;
  const outbox = new Outbox([], () => ends++);
  outbox.put(line('a'));
  outbox.close();
  outbox.put(line('too late'));
  expect(await new Response(outbox.stream).text()).toBe('a\n');
  expect(ends).toBe(1);
});

test('a last word takes the place of all that waits', async () => {
  const outbox = new Outbox([line('first')], () => {});
  outbox.put(line('a'));
  outbox.close(line('gone'));
  expect(await new Response(outbox.stream).text()).toBe('gone\n');
});

test('somebody who leaves is noticed once', async () => {
  let ends = 0;
  const outbox = new Outbox([], () => ends++);
  await outbox.stream.cancel();
  outbox.close();
  expect(ends).toBe(1);
});

test('too much for one reader is said, and not before it is too much', () => {
  const outbox = new Outbox([], () => {});
  const mebibyte = new Uint8Array(1024 * 1024);
  for (let count = 1; count <= 32; count++) expect(outbox.put(mebibyte)).toBe(true);
  expect(outbox.put(mebibyte)).toBe(false);
});
