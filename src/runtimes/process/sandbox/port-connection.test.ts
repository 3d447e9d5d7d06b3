import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { connected } from './port-connection.ts';

test('a connection whose process has exited already is still one', async () => {
  const stderr = new PassThrough();
  stderr.end('connected\n');
  await expect(connected(stderr, 80)).resolves.toBeUndefined();
});

test.each([
  ['an error', 'connect: Connection refused\n'],
  ['nothing', ''],
])('%s on stderr means that the port is closed', async (_, text) => {
  const stderr = new PassThrough();
  stderr.end(text);
  await expect(connected(stderr, 80)).rejects.toThrow(
    'port 80 of the loopback interface is closed',
  );
});
