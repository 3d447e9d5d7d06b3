/**
 * Converts a WebSocket to a byte stream: the concatenated messages are its bytes. kubectl speaks SPDY through
 * this tunnel, so that proxies in between see only a WebSocket.
 */
import { Duplex } from 'node:stream';
import { NORMAL_CLOSURE, type OpenWebSocket } from './open-websocket.ts';

export function tunnelThrough({ webSocket, touch }: OpenWebSocket): Duplex {
  const tunnel = new Duplex({
    read: () => webSocket.resume(),
    write: (chunk: Uint8Array, _encoding, done) => {
      touch();
      webSocket.send(chunk, { binary: true }, (error) => done(error));
    },
    final: (done) => {
      webSocket.resume();
      webSocket.close(NORMAL_CLOSURE);
      done();
    },
    destroy: (error, done) => {
      webSocket.terminate();
      done(error);
    },
  });
  webSocket.on('message', (data: Buffer) => {
    if (!tunnel.push(data)) webSocket.pause();
  });
  webSocket.once('close', () => {
    if (tunnel.writableFinished) tunnel.push(null);
    else tunnel.destroy();
  });
  return tunnel;
}
