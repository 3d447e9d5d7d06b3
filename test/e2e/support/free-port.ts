/**
 * A TCP port of the loopback interface that nobody listens on.
 *
 * The programs of the rig take a number and cannot be handed a socket, so somebody could take the
 * port between here and there. The kernel hands out such ports in turn, which makes that unlikely;
 * a program that loses the race says so in its log, which the failure shows.
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
