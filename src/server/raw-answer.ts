/** Writes a plain answer to an upgrade request, and then closes the connection. */
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ApiResponse } from '../ports/api/http-handler.ts';

/** Never rejects: a client that has disconnected does not need the answer. */
export async function writeRawAnswer(socket: Duplex, response: ApiResponse): Promise<void> {
  const { status, headers, body } = response;
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const reason = STATUS_CODES[status] ?? '';
  socket.on('error', () => {}); // the client is gone
  socket.write(`HTTP/1.1 ${status} ${reason}\r\n${lines}connection: close\r\n\r\n`);
  if (body instanceof ReadableStream) await pipeline(body, socket).catch(() => {});
  else socket.end(body ?? '');
}
