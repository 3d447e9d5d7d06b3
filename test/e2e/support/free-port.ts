/**
 * A free TCP port of the loopback interface.
 *
 * The programs of the harness take a number and cannot be handed a socket, so another process could take
 * the port in between. The kernel hands out such ports in turn, which makes that unlikely; a program that
 * loses the race logs it, and the failure shows the log.
 */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
