/** Servers on this machine that live as long as a test. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Makes it listen on 127.0.0.1, on a free port unless one is given, and returns the port. */
export async function listen(server: Server, port = 0): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return portOf(server);
}

/** A server that treats each connection in its own way, after its first bytes. */
export function listenRaw(speak: (socket: Socket, heard: string) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.once('data', (data) => speak(socket, data.toString('latin1')));
  });
  return listen(server);
}

/** A port without a listener: it was in use just now. */
export async function refusingPort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
