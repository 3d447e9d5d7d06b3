/**
 * An answer on a connection that was about to become something else: the request asked for another
 * protocol, and gets a plain answer, the last one on this connection.
 */
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ApiResponse } from '../ports/http-handler.ts';

/** Never rejects: if the client is gone, nobody misses the answer. */
export async function writeRawAnswer(socket: Duplex, response: ApiResponse): Promise<void> {
  const { status, headers, body } = response;
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const reason = STATUS_CODES[status] ?? '';
  socket.on('error', () => {}); // the client is gone
  socket.write(`HTTP/1.1 ${status} ${reason}\r\n${lines}connection: close\r\n\r\n`);
  if (body instanceof ReadableStream) await pipeline(body, socket).catch(() => {});
  else socket.end(body ?? '');
}
