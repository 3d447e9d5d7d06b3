/**
 * Serves port-forward over channels of a WebSocket, without SPDY inside of it: opens one connection to each
 * requested port immediately. A port has two channels, for data and for errors. The first message on each
 * channel is the number of the port.
 */
import type { Log } from '../../../ports/log.ts';
import { Channels, type Channel } from '../websocket/channels.ts';
import type { OpenWebSocket } from '../websocket/open-websocket.ts';
import { forwardPort, type PortForwarding } from './forward-port.ts';

/** Resolves when all connections have ended. */
export async function serveWebSocketPorts(
  open: OpenWebSocket,
  protocol: string,
  ports: readonly number[],
  forwarding: PortForwarding,
  log: Log,
): Promise<void> {
  const channels = new Channels(open, {
    count: ports.length * 2,
    isBase64: protocol.includes('base64'),
    hasClose: false,
    reads: (channel) => channel % 2 === 0,
  });
  await Promise.all(
    ports.map(async (port, index) => {
      const [data, error] = [channels.at(index * 2), channels.at(index * 2 + 1)];
      announce(port, data, error);
      const failure = await forwardPort(data, port, forwarding);
      if (failure === null) return;
      log.debug('Failed to forward port', { reason: failure });
      await new Promise((resolve) => error.write(failure, resolve));
    }),
  );
  channels.close();
}

function announce(port: number, ...channels: readonly Channel[]): void {
  const number = Buffer.alloc(2);
  number.writeUInt16LE(port);
  for (const channel of channels) channel.announce(number);
}
