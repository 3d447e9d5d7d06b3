import { expect, test } from 'vitest';
import { printLog } from './read-logs.ts';

async function* log(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('one\u001b]0;');
  yield Buffer.from('title\u0007\n');
}

async function printed(isOutTerminal: boolean): Promise<string> {
  const pieces: Uint8Array[] = [];
  const write = (_stream: string, bytes: Uint8Array): Promise<void> => {
    pieces.push(bytes);
    return Promise.resolve();
  };
  await printLog(log(), { write, isOutTerminal });
  return Buffer.concat(pieces).toString();
}

test('a terminal shows the control characters of a log, and does not obey them', async () => {
  expect(await printed(true)).toBe('one^[]0;title^G\n');
});

test('a file or a program gets the bytes as they were written', async () => {
  expect(await printed(false)).toBe('one\u001b]0;title\u0007\n');
});
