import { createReadStream } from 'node:fs';
import { expect, test } from 'vitest';
import { systemStdin } from './system-stdin.ts';

test('a file as standard input is read to its end and released, like a terminal', async () => {
  const input = createReadStream('/dev/null');
  const stdin = systemStdin(input, process.stdout);
  expect(stdin.isTerminal).toBe(false);
  await new Promise<void>((resolve) => {
    const stop = stdin.read((chunk) => {
      expect(chunk).toBeNull();
      stop();
      resolve();
      return Promise.resolve();
    });
  });
  stdin.setRaw(true);
});
