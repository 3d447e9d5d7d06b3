import { once } from 'node:events';
import { request } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { exchange } from './backend-exchange.ts';

/** A backend that answers every request with this text. */
async function backend(text: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => void socket.end(text));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test.each([
  [
    'switches protocols unasked',
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: foo\r\n\r\n',
  ],
  ['closes without a response', ''],
])('a backend that %s does not keep the caller waiting', async (_what, text) => {
  const port = await backend(text);
  const outgoing = request({ host: '127.0.0.1', port, path: '/' });
  await expect(exchange(outgoing, null)).rejects.toThrow(/101|EOF|hang up/);
});
